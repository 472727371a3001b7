package version_test

import (
	"runtime"
	"strings"
	"testing"

	"sotto/internal/version"
)

func TestString(t *testing.T) {
	full := version.Build{Version: "0.1.0", Commit: "0123456789abcdef0123", Date: "2026-02-01T10:00:00Z", Go: "go1.26.8", OS: "linux", Arch: "amd64"}
	changed, bare, short := full, full, full
	changed.Modified = true
	bare.Commit, bare.Date = "", ""
	short.Commit, short.Date = "0123", ""
	for _, tt := range []struct {
		b    version.Build
		want string
	}{
		{full, "0.1.0, commit 0123456789ab (2026-02-01), go1.26.8 linux/amd64"},
		{changed, "0.1.0, commit 0123456789ab (2026-02-01) with changes, go1.26.8 linux/amd64"},
		{bare, "0.1.0, go1.26.8 linux/amd64"},
		{short, "0.1.0, commit 0123, go1.26.8 linux/amd64"},
	} {
		if got := tt.b.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}

func TestGet(t *testing.T) {
	b := version.Get()
	if b.Version == "" || b.Go != runtime.Version() || b.OS != runtime.GOOS || b.Arch != runtime.GOARCH {
		t.Errorf("Get() = %+v, want a version and this system", b)
	}
	if got := version.Short(); !strings.HasPrefix(got, b.Version) || strings.TrimSpace(got) != got {
		t.Errorf("Short() = %q, want it to begin with %q", got, b.Version)
	}
}
