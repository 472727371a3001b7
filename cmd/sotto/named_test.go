package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

// setEncoder lets a JSON file name another encoder, written as its own command writes it.
func setEncoder(t *testing.T, path, was, encoder string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(encoder)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), string(before)) {
		t.Fatalf("%s does not name %s", path, before)
	}
	clitest.Write(t, path, strings.ReplaceAll(string(content), string(before), string(after)))
}

// TestFilesChooseNothing gives every command that opens what a file names a file that
// names a program, and one that names an address: neither is run or called.
func TestFilesChooseNothing(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	var rows strings.Builder
	rows.WriteString("text,label\n")
	for i := range 120 {
		rows.WriteString([]string{"awful slow thing,bad\n", "lovely quick thing,good\n"}[i%2])
	}
	clitest.Write(t, in, rows.String())
	model := filepath.Join(dir, "model")
	train := strings.Fields("train --in " + in + " --text text --label label --method label --epsilon 4 --epochs 1 --encoder hash:16 --out " + model)
	if code, _, errs := program.Sotto(t, "", train...); code != command.ExitDone {
		t.Fatalf("train: exit code %d: %s", code, errs)
	}
	people := filepath.Join(dir, "people.csv")
	var who strings.Builder
	who.WriteString("name,who\n")
	for i, name := range strings.Fields("Ada Bertha Caesar Dora Emil Friedrich Gustav Heinrich Ida Julius Kaufmann Ludwig Martha Nordpol") {
		fmt.Fprintf(&who, "%s Miller,%d\n%s Miler,%d\n", name, i, name, i)
	}
	clitest.Write(t, people, who.String())
	links := filepath.Join(dir, "links.json")
	save := strings.Fields("link records --in " + people + " --columns name --truth who --encoder hash:16 --save-model " + links)
	if code, _, errs := program.Sotto(t, "", save...); code != command.ExitDone {
		t.Fatalf("link records: exit code %d: %s", code, errs)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	called := make(chan struct{}, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			called <- struct{}{}
			c.Close()
		}
	}()
	t.Setenv("PGPASSWORD", "secret")
	sentinel := filepath.Join(dir, "sentinel")
	seed := filepath.Join(model, "seed-1")
	was := "hash:16"
	for _, encoder := range []string{"command:touch " + sentinel, "endpoint:http://" + l.Addr().String() + "?key=PGPASSWORD&model=m"} {
		setEncoder(t, filepath.Join(seed, "manifest.json"), was, encoder)
		setEncoder(t, links, was, encoder)
		was = encoder
		config := filepath.Join(dir, "config.json")
		clitest.Write(t, config, `{"encoder": "`+encoder+`", "mechanism": "laplace-l1"}`)
		for _, line := range []string{
			"explain --model " + seed,
			"explain --model " + model,
			"encode --model " + seed + " --in " + in + " --text text --out " + filepath.Join(dir, "out.npy"),
			"evaluate " + model + " --in " + in,
			"influence train --in " + in + " --model " + seed + " --out " + filepath.Join(dir, "student"),
			"link records --in " + people + " --with " + links,
			"gateway --listen 127.0.0.1:0 --model " + seed + " --ledger " + filepath.Join(dir, "ledger") + " --secret " + filepath.Join(dir, "secret"),
			"gateway --listen 127.0.0.1:0 --config " + config + " --ledger " + filepath.Join(dir, "ledger") + " --secret " + filepath.Join(dir, "secret"),
		} {
			code, out, errs := program.Sotto(t, "a lovely thing", strings.Fields(line)...)
			if code != command.ExitUse || !strings.Contains(errs, "manifest") && !strings.Contains(line, "--config") || !strings.Contains(errs, "a file must not choose it") {
				t.Errorf("%s\nends with %d, prints %q and says %q; want %d and words on the manifest", line, code, out, errs, command.ExitUse)
			}
		}
	}
	if _, err := os.Stat(sentinel); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a program was run that only a file names")
	}
	if len(called) > 0 {
		t.Error("an address was called that only a file names")
	}

	// The same name on the command line permits it, and no other does.
	script := filepath.Join(dir, "encode.sh")
	clitest.Write(t, script, "while read -r text; do echo '[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]'; done\n")
	vectors := "command:sh " + script
	setEncoder(t, filepath.Join(seed, "manifest.json"), was, vectors)
	encode := func(said string) (int, string) {
		code, _, errs := program.Sotto(t, "", "encode", "--model", seed, "--in", in, "--text", "text", "--out", filepath.Join(dir, "out.npy"), "--include-trained", "--encoder", said)
		return code, errs
	}
	if code, errs := encode("command:true"); code != command.ExitUse || !strings.Contains(errs, "manifest") {
		t.Errorf("another program than the manifest's: exit code %d, %s", code, errs)
	}
	if code, errs := encode(vectors); code != command.ExitDone {
		t.Errorf("the manifest's program, said again: exit code %d, %s", code, errs)
	}
}
