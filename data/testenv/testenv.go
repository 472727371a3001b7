// Package testenv finds the data sets and fetched encoders that tests ask for. A
// test that lacks one is skipped with the reason, never passed.
package testenv

import (
	"os"
	"path/filepath"
	"testing"

	"sotto/data/dataset"
	"sotto/text/encode/catalogue"
)

// Data returns the path of a file or folder below SOTTO_DATA, and skips the test
// where it is absent. A user's own data folder is never looked into, so that
// what is tested does not depend on who runs the tests.
func Data(tb testing.TB, parts ...string) string {
	tb.Helper()
	root := os.Getenv("SOTTO_DATA")
	if root == "" {
		tb.Skip("SOTTO_DATA names no folder of data sets")
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s is not in %s, the folder that SOTTO_DATA names", filepath.Join(parts...), root)
	}
	return path
}

// Set skips the test unless all files of a data set are below SOTTO_DATA.
func Set(tb testing.TB, name string) {
	tb.Helper()
	info, err := dataset.Find(name, os.Getenv("SOTTO_DATA"))
	if err != nil {
		tb.Fatal(err)
	}
	if len(info.Files) > 0 && (!info.Present || Data(tb) == "") {
		tb.Skipf("data set %s is not in %s, the folder that SOTTO_DATA names", name, Data(tb))
	}
}

// Encoder returns the path of a fetched encoder's file or folder, and skips the
// test where it is absent.
func Encoder(tb testing.TB, parts ...string) string {
	tb.Helper()
	root, err := catalogue.Dir()
	if err != nil {
		tb.Skip(err)
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("%s is absent: run sotto encoder get %s, or name the folder above it in SOTTO_MODELS", path, parts[0])
	}
	return path
}
