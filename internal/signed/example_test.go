package signed_test

import (
	"fmt"
	"os"
	"path/filepath"

	"sotto/internal/signed"
)

// A folder is signed where it was made, and believed elsewhere as long as it is as it was.
func Example() {
	dir, err := os.MkdirTemp("", "sotto-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	manifest := filepath.Join(dir, "manifest.json")
	os.WriteFile(manifest, []byte(`{"epsilon": 4}`), 0o600)

	key := signed.NewKey()
	fmt.Println(key.SignFolder(dir, "sotto: list of the files of models"))

	f, err := key.Public().Open(dir, signed.Want{})
	content, _ := os.ReadFile(filepath.Join(f.Dir, "manifest.json"))
	fmt.Println(string(content), err, f.Close())

	os.WriteFile(manifest, []byte(`{"epsilon": 1}`), 0o600)
	_, err = key.Public().Open(dir, signed.Want{})
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// {"epsilon": 4} <nil> <nil>
	// true
}
