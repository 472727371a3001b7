package signed_test

import (
	"errors"
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
	key := signed.NewKey()
	err = errors.Join(
		os.WriteFile(manifest, []byte(`{"epsilon": 4}`), 0o600),
		key.SignFolder(dir, "sotto: list of the files of models"),
	)
	fmt.Println(err)

	f, err := key.Public().Open(dir, signed.Want{})
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := os.ReadFile(filepath.Join(f.Dir, "manifest.json"))
	fmt.Println(string(content), errors.Join(err, f.Close()))

	err = os.WriteFile(manifest, []byte(`{"epsilon": 1}`), 0o600)
	_, refused := key.Public().Open(dir, signed.Want{})
	fmt.Println(err, errors.Is(refused, signed.ErrSignature))
	// Output:
	// <nil>
	// {"epsilon": 4} <nil>
	// <nil> true
}
