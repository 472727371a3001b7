package signed_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sotto/internal/signed"
)

// read returns a file of testdata, which minisign 0.11 of Debian made.
func read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func nobody() ([]byte, error) { return nil, errors.New("nobody was to be asked") }

// TestMinisign reads what minisign made.
func TestMinisign(t *testing.T) {
	public, err := signed.ParsePublicKey(read(t, "minisign.pub"))
	if err != nil {
		t.Fatal(err)
	}
	secret, err := signed.ParseSecretKey(read(t, "minisign.key"), nobody)
	if err != nil || secret.Public().String() != public.String() {
		t.Fatalf("the secret key has the public key %v, %v, want %v", secret.Public(), err, public)
	}
	if !bytes.Contains(read(t, "minisign.pub"), []byte(public.ID())) {
		t.Errorf("the key is called %s, minisign calls it otherwise", public.ID())
	}
	for _, kind := range []string{"hashed.minisig", "legacy.minisig"} {
		if err = public.Verify(read(t, "record.txt"), read(t, kind)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	// Ed25519 draws nothing: the same key signs the same to the bit.
	got, want := bytes.Split(secret.Sign(read(t, "record.txt"), "sotto: record of releases"), []byte("\n")), bytes.Split(read(t, "hashed.minisig"), []byte("\n"))
	for i := 1; i < len(want); i++ { // the first line is anybody's
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("line %d of a signature is %q, want minisign's %q", i+1, got[i], want[i])
		}
	}
	again, err := secret.Text(nil)
	if got, want := bytes.Split(again, []byte("\n"))[1], bytes.Split(read(t, "minisign.key"), []byte("\n"))[1]; err != nil || !bytes.Equal(got, want) {
		t.Errorf("a key without a password is written as %q, %v, want minisign's %q", got, err, want)
	}
}

// TestMinisignPassword decrypts a key of minisign's, whose password takes a gibibyte.
func TestMinisignPassword(t *testing.T) {
	if os.Getenv("SOTTO_LONG") == "" {
		t.Skip("it takes a gibibyte of memory: SOTTO_LONG=1 runs it")
	}
	k, err := signed.ParseSecretKey(read(t, "encrypted.key"), func() ([]byte, error) { return []byte("correct horse"), nil })
	if err != nil || !bytes.Contains(read(t, "encrypted.pub"), []byte(k.Public().String())) {
		t.Errorf("the key is %v, %v, want minisign's", k.Public(), err)
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	k := signed.NewKey()
	text, err := k.Text([]byte("correct horse"))
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]bool{"correct horse": true, "correct hors": false} {
		got, err := signed.ParseSecretKey(text, func() ([]byte, error) { return []byte(password), nil })
		if (err == nil) != want || want && got.Public().String() != k.Public().String() {
			t.Errorf("by %q: the key %v, %v, want it to open: %v", password, got.Public(), err, want)
		}
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("the error quotes the password: %v", err)
		}
	}
	if _, err := signed.ParseSecretKey(text, nobody); err == nil {
		t.Error("an encrypted key opens without a password")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if got := fmt.Sprintf(verb, k); got != "secret key" {
			t.Errorf("%s prints %q of a secret key", verb, got)
		}
	}
}

// TestVerifyEveryBit flips each bit of content and signature: nothing holds but what was
// made, apart from the comment that nobody signs.
func TestVerifyEveryBit(t *testing.T) {
	t.Parallel()
	k := signed.NewKey()
	content := []byte(`{"epsilon": 4}`)
	signature := k.Sign(content, "sotto: record of releases")
	if err := k.Public().Verify(content, signature); err != nil {
		t.Fatal(err)
	}
	free := bytes.IndexByte(signature, '\n')
	start := len("untrusted comment: ")
	for i := range 8 * len(content) {
		c := bytes.Clone(content)
		c[i/8] ^= 1 << (i % 8)
		if err := k.Public().Verify(c, signature); !errors.Is(err, signed.ErrSignature) {
			t.Errorf("bit %d of the content flipped: %v, want it refused", i, err)
		}
	}
	for i := range 8 * len(signature) {
		s := bytes.Clone(signature)
		s[i/8] ^= 1 << (i % 8)
		if at := i / 8; at >= start && at < free || at == len(s)-1 {
			continue // the untrusted comment, and the end of the last line
		}
		if err := k.Public().Verify(content, s); !errors.Is(err, signed.ErrSignature) {
			t.Errorf("bit %d of the signature flipped: %v, want it refused", i, err)
		}
	}
	other := signed.NewKey()
	for name, s := range map[string][]byte{
		"another key's": other.Sign(content, ""), "another file's": k.Sign([]byte("{}"), ""), "empty": nil,
		"with a line more": append(bytes.Clone(signature), "more\n"...), "cut": signature[:len(signature)-20],
	} {
		if err := k.Public().Verify(content, s); !errors.Is(err, signed.ErrSignature) {
			t.Errorf("%s: %v, want it refused", name, err)
		}
	}
}

// TestInterop has minisign check what is signed here, and the other way round.
func TestInterop(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("minisign"); err != nil {
		t.Skip("minisign is not installed: apt-get install minisign")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) error {
		c := exec.Command("minisign", args...)
		c.Dir, c.Stdin = dir, strings.NewReader(stdin)
		out, err := c.CombinedOutput()
		if err != nil {
			return fmt.Errorf("minisign %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	put := func(name string, content []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	k := signed.NewKey()
	plain, err := k.Text(nil)
	locked, failed := k.Text([]byte("pass"))
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	put("k", plain)
	put("locked", locked)
	put("k.pub", k.Public().Text())
	put("f", []byte("content"))
	put("f.minisig", k.Sign([]byte("content"), "a comment"))
	if err := run("", "-V", "-H", "-m", "f", "-p", "k.pub"); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"-W", "-s", "k"}, {"-W", "-s", "k", "-l"}, {"-s", "locked"}} {
		if err := run("pass\n", append([]string{"-S", "-m", "f"}, args...)...); err != nil {
			t.Error(err)
			continue
		}
		signature, err := os.ReadFile(filepath.Join(dir, "f.minisig"))
		if err == nil {
			err = k.Public().Verify([]byte("content"), signature)
		}
		if err != nil {
			t.Errorf("minisign %v: %v", args, err)
		}
	}
}

// TestKeysRefused says of what is no key why.
func TestKeysRefused(t *testing.T) {
	t.Parallel()
	k := signed.NewKey()
	secret, err := k.Text(nil)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(secret)
	damaged[bytes.IndexByte(damaged, '\n')+100] ^= 1
	for name, tt := range map[string]struct {
		content []byte
		want    string
	}{
		"public": {k.Public().Text(), "public key"}, "empty": {nil, "no key"}, "damaged": {damaged, "damaged"},
		"text": {[]byte("untrusted comment: x\nhello\n"), "no key"}, "cut": {secret[:len(secret)-9], "no key"},
	} {
		if _, err := signed.ParseSecretKey(tt.content, nobody); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s as a secret key: %v, want %q", name, err, tt.want)
		}
	}
	if _, err := signed.ParsePublicKey(secret); err == nil || !strings.Contains(err.Error(), "secret key") {
		t.Errorf("a secret key as a public one: %v", err)
	}
}

func FuzzVerify(f *testing.F) {
	k, err := signed.ParsePublicKey(read(f, "minisign.pub"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(read(f, "record.txt"), read(f, "hashed.minisig"))
	f.Add(read(f, "record.txt"), read(f, "legacy.minisig"))
	f.Add([]byte("x"), []byte("untrusted comment: \n\ntrusted comment: \n\n"))
	want := read(f, "record.txt")
	f.Fuzz(func(t *testing.T, content, signature []byte) {
		if k.Verify(content, signature) == nil && !bytes.Equal(content, want) {
			t.Errorf("%q is taken for signed", content)
		}
	})
}

func FuzzKeys(f *testing.F) {
	f.Add(read(f, "minisign.pub"))
	f.Add(read(f, "minisign.key"))
	f.Add([]byte("untrusted comment: \nRWQ=\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if k, err := signed.ParsePublicKey(content); err == nil {
			if again, err := signed.ParsePublicKey(k.Text()); err != nil || again.String() != k.String() {
				t.Errorf("the key %s is read back as %s, %v", k, again, err)
			}
		}
		if k, err := signed.ParseSecretKey(content, nobody); err == nil {
			if err := k.Public().Verify([]byte("x"), k.Sign([]byte("x"), "")); err != nil {
				t.Errorf("a key does not check what it signs: %v", err)
			}
		}
	})
}
