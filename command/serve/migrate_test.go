package serve_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
)

// Whoever has a ledger of an older version gets on by what errors say alone.
func TestBudgetMigrate(t *testing.T) {
	packed, err := os.Open("../../service/ledger/testdata/format1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	in, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	path, secret := filepath.Join(t.TempDir(), "ledger.db"), random(t, filepath.Join(t.TempDir(), "secret"))
	if err = os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	said := "sotto budget migrate --ledger " + path + " --secret "
	err = gatewayCommand(t.Context(), io.Discard, io.Discard, "--listen", "127.0.0.1:0", "--ledger", path, "--secret", secret)
	if err == nil || !strings.Contains(err.Error(), said+secret) {
		t.Errorf("a gateway on an old ledger: %v, want %q", err, said+secret)
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"show", command.ExitUse, said},
		{"migrate", command.ExitUse, "--unsigned does without one that is lost"},
		{"migrate --secret " + secret, command.ExitUse, "--secret is the file that the gateway has"},
		{"migrate --unsigned", command.ExitDone, "migrated: 52 entries"},
		{"migrate --unsigned", command.ExitUse, "needs no migration"},
		{"verify", command.ExitDone, "whole: 52 entries"},
	} {
		code, out, errs := budgetCommand(t, append(strings.Fields(tt.args), "--ledger", path)...)
		if code != tt.code || !strings.Contains(out+errs, tt.want) {
			t.Errorf("%s: exit code %d, %s%s; want %d and %q", tt.args, code, out, errs, tt.code, tt.want)
		}
	}
}
