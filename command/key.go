package command

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/internal/signed"
)

// This part of the package holds the command that makes keys to sign with. What signs and verifies
// are the commands that write and read what is signed.

// keyCommands returns the commands of this group.
func keyCommands(std term.Streams) []*cobra.Command {
	return []*cobra.Command{term.Group(&cobra.Command{
		Use:   "key",
		Short: "Keys to sign models and records with",
		Long: `Make keys by which models, heads and records of releases are signed, and by which
whoever gets them knows whose they are. Keys and signatures are minisign's, which
makes and checks them as well. Keys of a gateway's clients are another thing: see
"sotto gateway key".`,
	}, newMake(std))}
}

// makeOptions are the flags of "sotto key make".
type makeOptions struct{ encrypt bool }

func newMake(std term.Streams) *cobra.Command {
	var o makeOptions
	c := &cobra.Command{
		Use:   "make FILE",
		Short: "Make a key to sign with: the secret key in FILE, the public one in FILE.pub",
		Long: `Draw an Ed25519 key and write it in the form of minisign: the secret key to FILE,
which its owner alone may read, and the public key to FILE.pub, which goes to
everybody who is to check what is signed. Files that are there are left alone.

Whoever has FILE signs as you. With --encrypt a password is asked for, at the
terminal or in the file that SOTTO_KEY_PASSWORD_FILE names, and again whenever
something is signed; it is never an argument. Without, FILE is as a key of
"minisign -G -W".

  sotto train, serve head, encode, sotto-batch --sign FILE
  sotto encode, gateway, serve, evaluate, report, gate --verify FILE.pub`,
		Example: `  sotto key make release.key
  sotto train --in reviews.csv --text review --label rating --method auto --epsilon 4 --out mine --sign release.key
  sotto gateway --model mine/seed-1 --verify release.key.pub`,
		Args: term.One("file for the secret key", ""),
		RunE: func(_ *cobra.Command, args []string) error { return runMake(o, args[0], std) },
	}
	c.Flags().BoolVar(&o.encrypt, "encrypt", false, "encrypt the secret key by a password, which is asked for")
	return c
}

func runMake(o makeOptions, path string, std term.Streams) error {
	public := path + ".pub"
	for _, p := range []string{path, public} { // before a password is asked for
		if _, err := os.Lstat(p); err == nil {
			return fmt.Errorf("%s is there, must be a new file: who loses a key cannot sign with it again", p)
		}
	}
	var password []byte
	if o.encrypt {
		var err error
		if password, err = term.Password("password: ", std.Err); err != nil {
			return err
		}
		again, err := term.Password("password, again: ", std.Err)
		if err != nil {
			return err
		}
		if !bytes.Equal(password, again) {
			return errors.New("the passwords differ, must be the same twice")
		}
	}
	k := signed.NewKey()
	secret, err := k.Text(password)
	if err == nil {
		err = create(path, secret, 0o600)
	}
	if err != nil {
		return err
	}
	if err = create(public, k.Public().Text(), 0o644); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	_, err = fmt.Fprintf(std.Out, "%s signs, and stays with you; %s checks, and goes to others:\n%s\n", path, public, k.Public())
	return err
}

// create writes a file that must be new, and has its mode from the beginning.
func create(path string, content []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}
