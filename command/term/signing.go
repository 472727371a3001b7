package term

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"sotto/internal/regular"
	"sotto/internal/signed"
)

// PasswordFile is the variable that names a file of the password of a secret key, for
// when there is no terminal to ask at. A password is never an argument.
const PasswordFile = "SOTTO_KEY_PASSWORD_FILE"

// The trusted comments of folders: what was signed, and nothing of when and where.
const (
	FolderComment = "sotto: list of the files of models"
	HeadComment   = "sotto: list of the files of a head"
)

const maxPassword = 4 << 10

// AddSign declares --sign, by which a command signs what it makes.
func AddSign(fs *pflag.FlagSet, path *string, what string) {
	fs.StringVar(path, "sign", "", "file of the secret key, of sotto key make or minisign, by which "+what+" (default: nothing is signed)")
}

// AddVerify declares --verify, by which a command believes nothing that is not signed.
func AddVerify(fs *pflag.FlagSet, path *string, what string) {
	fs.StringVar(path, "verify", "", "file of the public key by which "+what+" must be signed, which is checked before anything of it is read (default: signatures are not looked at)")
}

// SigningKey reads the key of --sign, nil for "". A password is asked for at the
// terminal.
func SigningKey(path string, words io.Writer) (*signed.SecretKey, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // nothing is signed
	}
	f, err := regular.OpenSecret(path, 4<<10)
	if err != nil {
		return nil, fmt.Errorf("--sign: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("--sign: %w", err)
	}
	k, err := signed.ParseSecretKey(content, func() ([]byte, error) { return Password("password of "+path+": ", words) })
	if err != nil {
		return nil, fmt.Errorf("--sign: %s: %w", path, err)
	}
	return &k, nil
}

// CheckingKey reads the key of --verify, nil for "".
func CheckingKey(path string) (*signed.PublicKey, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // nothing is checked
	}
	k, err := signed.ReadPublicKey(path)
	if err != nil {
		return nil, fmt.Errorf("--verify: %w", err)
	}
	return &k, nil
}

// Password takes a password from the file that [PasswordFile] names, else from the
// terminal, which does not show it.
func Password(prompt string, words io.Writer) ([]byte, error) {
	password, err := password(prompt, words)
	if err == nil && len(password) == 0 {
		err = errors.New("the password is empty, must have characters")
	}
	return password, err
}

func password(prompt string, words io.Writer) ([]byte, error) {
	if path := os.Getenv(PasswordFile); path != "" {
		f, err := regular.OpenSecret(path, maxPassword)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", PasswordFile, err)
		}
		defer f.Close() //nolint:errcheck // it was only read
		content, err := io.ReadAll(f)
		line, _, _ := bytes.Cut(content, []byte("\n"))
		return bytes.TrimSuffix(line, []byte("\r")), err
	}
	in := os.Stdin
	if !term.IsTerminal(int(in.Fd())) { // texts may come from there
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return nil, fmt.Errorf("there is no terminal to ask for the password, must be one, or a file that %s names", PasswordFile)
		}
		defer tty.Close() //nolint:errcheck // it was only read
		in = tty
	}
	fmt.Fprint(words, prompt) //nolint:errcheck // that words cannot be written harms nothing
	password, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(words) //nolint:errcheck // see above
	if err != nil {
		return nil, fmt.Errorf("the password cannot be read: %w", err)
	}
	return password, nil
}
