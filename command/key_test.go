package command_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/term"
	"sotto/internal/signed"
)

// run runs a command that must end well.
func run(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", args...)
	if code != command.ExitDone {
		t.Fatalf("sotto %s: exit code %d: %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// refused runs a command that must refuse in one line.
func refused(t *testing.T, want string, args ...string) {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", args...)
	if code != command.ExitUse || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
		t.Errorf("sotto %s: exit code %d, %q, %q, want %d and one line with %q", strings.Join(args, " "), code, out, errs, command.ExitUse, want)
	}
}

func TestMake(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k")
	out := run(t, "key", "make", file)
	public, err := signed.ReadPublicKey(file + ".pub")
	if err != nil || !strings.Contains(out, public.String()) {
		t.Errorf("printed %q, %v, want the public key %v", out, err, public)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the secret key has mode %v, %v, want 0600", info.Mode(), err)
	}
	secret, err := os.ReadFile(file)
	if err != nil || strings.Contains(out, strings.Split(string(secret), "\n")[1]) {
		t.Errorf("the secret key is printed: %q, %v", out, err)
	}
	refused(t, "must be a new file", "key", "make", file)
	if again, err := os.ReadFile(file); err != nil || string(again) != string(secret) {
		t.Errorf("the key is another after a refusal, %v", err)
	}
	refused(t, "want one file", "key", "make")
}

// TestMakeEncrypted makes a key by a password that stands in a file, and signs with it.
func TestMakeEncrypted(t *testing.T) {
	dir := t.TempDir()
	file, password, vectors := filepath.Join(dir, "k"), filepath.Join(dir, "password"), filepath.Join(dir, "v.jsonl")
	clitest.Write(t, password, "correct horse\nmore\n")
	clitest.Write(t, filepath.Join(dir, "in.txt"), "a text\n")
	encode := []string{"encode", "--encoder", "hash:8", "--in", filepath.Join(dir, "in.txt"), "--mechanism", "laplace-l1", "--epsilon", "8", "--out", vectors, "--sign", file}
	t.Setenv(term.PasswordFile, password)
	run(t, "key", "make", file, "--encrypt")
	run(t, encode...)
	k, err := signed.ReadPublicKey(file + ".pub")
	if err == nil {
		_, err = k.Read(vectors+".privacy.json", 1<<20)
	}
	if err != nil {
		t.Error(err)
	}
	clitest.Write(t, password, "wrong\n")
	refused(t, "the password is wrong", encode...)
	clitest.Write(t, password, "\n")
	refused(t, "the password is empty", encode...)
	if runtime.GOOS != "windows" {
		if err := os.Chmod(password, 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, "readable by its owner alone", encode...)
	}
}

// trained is a signed result, the keys and a file of texts, in a folder.
func trained(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var rows strings.Builder
	rows.WriteString("review,rating\n")
	for i := range 100 {
		fmt.Fprintf(&rows, "a good film %d,good\na bad film %d,bad\n", i, i)
	}
	clitest.Write(t, filepath.Join(dir, "rows.csv"), rows.String())
	clitest.Write(t, filepath.Join(dir, "new.csv"), "review\na new film\nanother one\n")
	run(t, "key", "make", filepath.Join(dir, "k"))
	run(t, "key", "make", filepath.Join(dir, "other"))
	run(t, append(strings.Fields("train --text review --label rating --method noise --epsilon 8 --seeds 2"+clitest.Quickly),
		"--in", filepath.Join(dir, "rows.csv"), "--out", filepath.Join(dir, "mine"), "--sign", filepath.Join(dir, "k"))...)
	return dir
}

// TestSigned takes a result from training to the auditor, and attacks it at each step.
func TestSigned(t *testing.T) {
	dir := trained(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	mine, key, public := at("mine"), at("k"), at("k.pub")
	run(t, "encode", "--model", mine, "--in", at("new.csv"), "--text", "review", "--out", at("new.jsonl"), "--sign", key, "--verify", public)
	record := at("new.jsonl.privacy.json")
	run(t, "encode", "--model", mine, "--in", at("new.csv"), "--text", "review", "--out", at("other.jsonl"), "--sign", key)
	for _, from := range []string{"mine", "mine/seed-2"} {
		signed := run(t, "evaluate", at(from), "--in", at("rows.csv"), "--json", "--verify", public)
		if plain := run(t, "evaluate", at(from), "--in", at("rows.csv"), "--json"); signed != plain {
			t.Errorf("evaluate %s --verify prints\n%s, without\n%s", from, signed, plain)
		}
	}
	clitest.Write(t, at("policy.json"), `{"rules": [{"epsilon": {"max": 8}}]}`)
	gate := func(results ...string) []string {
		return append([]string{"gate", "--policy", at("policy.json"), "--verify", public}, results...)
	}
	run(t, gate(mine, record)...)
	run(t, "report", mine, record, "--out", at("page.html"), "--verify", public)
	run(t, "serve", "head", filepath.Join(mine, "seed-1"), at("head"), "--sign", key)
	k, err := signed.ReadPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	f, err := k.Open(at("head"), signed.Want{})
	if err = errors.Join(err, f.Close()); err != nil {
		t.Error(err)
	}
	run(t, "serve", "head", filepath.Join(mine, "seed-2"), at("head")) // in its place, and not signed
	if _, err := k.Open(at("head"), signed.Want{}); !errors.Is(err, signed.ErrSignature) {
		t.Errorf("a head that nobody signed in the place of one that was: %v", err)
	}

	encode := []string{"encode", "--model", mine, "--in", at("new.csv"), "--text", "review", "--out", at("x.jsonl"), "--verify", public}
	evaluate := []string{"evaluate", mine, "--in", at("rows.csv"), "--verify", public}
	report := []string{"report", mine, "--out", at("x.html"), "--verify", public}
	for _, attack := range []struct {
		file    string
		change  func(path string) error
		want    string
		against [][]string
	}{
		{"mine/seed-1/weights.safetensors", flip, "was changed", [][]string{encode, evaluate, report, gate(mine)}},
		{"mine/seed-1/trained", flip, "was changed", [][]string{encode, evaluate, report, gate(mine)}},
		{"mine/seed-1/trained", os.Remove, "is missing", [][]string{encode}},
		{"mine/results.json", flip, "was changed", [][]string{encode, evaluate, report, gate(mine)}},
		{"mine/SHA256SUMS", flip, "was changed", [][]string{encode, evaluate, report, gate(mine)}},
		{"mine/SHA256SUMS.minisig", os.Remove, "there is no SHA256SUMS.minisig", [][]string{encode, evaluate, report, gate(mine)}},
		{"new.jsonl.privacy.json", flip, "was changed", [][]string{gate(record)}},
		{"new.jsonl.privacy.json.minisig", os.Remove, "there is no new.jsonl.privacy.json.minisig", [][]string{gate(record)}},
		{"new.jsonl.privacy.json.minisig", func(path string) error {
			other, err := os.ReadFile(at("other.jsonl.privacy.json.minisig"))
			return errors.Join(err, os.WriteFile(path, other, 0o600))
		}, "or the signature is another's", [][]string{gate(record)}},
		{"new.jsonl", flip, "was changed or replaced after it was released", [][]string{gate(record)}},
		{"k.pub", func(path string) error {
			other, err := os.ReadFile(at("other.pub"))
			return errors.Join(err, os.WriteFile(path, other, 0o600))
		}, "is by the key", [][]string{encode, evaluate, report, gate(mine), gate(record)}},
	} {
		path := at(attack.file)
		before, err := os.ReadFile(path)
		if err == nil {
			err = attack.change(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, args := range attack.against {
			refused(t, attack.want, args...)
		}
		clitest.Write(t, path, string(before))
	}
	for _, name := range []string{"x.jsonl", "x.jsonl.privacy.json", "x.html"} {
		if _, err := os.Stat(at(name)); err == nil {
			t.Errorf("%s was made of what is not signed", name)
		}
	}
	run(t, encode...) // all is as it was
	// What replaces a signed file is signed anew or not at all.
	run(t, "encode", "--model", mine, "--in", at("new.csv"), "--text", "review", "--out", at("new.jsonl"))
	if _, err := os.Stat(record + signed.End); err == nil {
		t.Error("an old signature lies beside a new record")
	}
}

// flip changes a bit in the middle of a file.
func flip(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 4
	return os.WriteFile(path, content, 0o600)
}

// TestSignatureTellsNothing looks for names, places and times in what is signed and in
// the signatures.
func TestSignatureTellsNothing(t *testing.T) {
	dir := trained(t)
	record := filepath.Join(dir, "private", "new.jsonl.privacy.json")
	if err := os.Mkdir(filepath.Dir(record), 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, "encode", "--model", filepath.Join(dir, "mine"), "--in", filepath.Join(dir, "new.csv"), "--text", "review", "--out", strings.TrimSuffix(record, ".privacy.json"), "--sign", filepath.Join(dir, "k"))
	public, err := signed.ReadPublicKey(filepath.Join(dir, "k.pub"))
	if err != nil {
		t.Fatal(err)
	}
	for path, comment := range map[string]string{
		record + signed.End: term.RecordComment, filepath.Join(dir, "mine", signed.ListFile+signed.End): term.FolderComment,
	} {
		text, failed := os.ReadFile(path)
		if failed != nil {
			t.Fatal(failed)
		}
		lines := strings.Split(string(text), "\n")
		if lines[0] != "untrusted comment: signature by sotto with the key "+public.ID() || lines[2] != "trusted comment: "+comment {
			t.Errorf("%s says %q and %q", filepath.Base(path), lines[0], lines[2])
		}
	}
	list, err := os.ReadFile(filepath.Join(dir, "mine", signed.ListFile))
	if err != nil || strings.Contains(string(list), dir) || strings.Contains(string(list), "rows.csv") {
		t.Errorf("the list says %s, %v", list, err)
	}
	var said struct {
		SHA256 string
		File   string
	}
	content, err := os.ReadFile(record)
	if err == nil {
		err = json.Unmarshal(content, &said)
	}
	if err != nil || len(said.SHA256) != 64 || said.File != "new.jsonl" {
		t.Errorf("the record binds %+v, %v, want the file that was released", said, err)
	}
}

// TestNothingToSign refuses flags that have no meaning.
func TestNothingToSign(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "k")
	run(t, "key", "make", key)
	in := clitest.TextFile(t, "in.txt", "a\n")
	refused(t, "raw vectors promise nothing", "encode", "--in", in, "--out", filepath.Join(dir, "o.npy"), "--sign", key)
	refused(t, "want --out or --metadata", "encode", "--in", in, "--mechanism", "laplace-l1", "--epsilon", "8", "--sign", key)
	refused(t, "there is nothing else that is signed", "encode", "--in", in, "--verify", key+".pub")
	refused(t, "--sign signs the folder of --out", "train", "--method", "noise", "--epsilon", "8", "--sign", key)
	refused(t, "this is a secret key", "report", dir, "--verify", key)
	refused(t, "no such file", "report", dir, "--verify", filepath.Join(dir, "absent"))
}
