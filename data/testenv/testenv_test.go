package testenv_test

import (
	"os"
	"path/filepath"
	"testing"

	"sotto/data/testenv"
)

// skips reports whether ask skips a test.
func skips(t *testing.T, ask func(testing.TB)) (skipped bool) {
	t.Helper()
	t.Run("", func(t *testing.T) {
		defer func() { skipped = t.Skipped() }()
		ask(t)
	})
	return skipped
}

func TestData(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sentiment_labelled_sentences", "yelp_labelled.txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, data string
		ask        func(testing.TB)
		want       bool
	}{
		{"no folder", "", func(tb testing.TB) { testenv.Data(tb) }, true},
		{"no folder for a set", "", func(tb testing.TB) { testenv.Set(tb, "yelp") }, true},
		{"a folder", dir, func(tb testing.TB) { testenv.Data(tb) }, false},
		{"no file", dir, func(tb testing.TB) { testenv.Data(tb, "glove") }, true},
		{"a set", dir, func(tb testing.TB) { testenv.Set(tb, "yelp") }, false},
		{"no set", dir, func(tb testing.TB) { testenv.Set(tb, "adult") }, true},
		{"built in", "", func(tb testing.TB) { testenv.Set(tb, "reviews") }, false},
		{"no encoder", "", func(tb testing.TB) { testenv.Encoder(tb, "minilm") }, true},
	} {
		t.Setenv("SOTTO_DATA", tt.data)
		t.Setenv("SOTTO_MODELS", dir)
		t.Setenv("XDG_DATA_HOME", dir) // must not be looked into
		if got := skips(t, tt.ask); got != tt.want {
			t.Errorf("%s: skips is %v, want %v", tt.name, got, tt.want)
		}
	}
}
