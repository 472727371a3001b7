package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/service/ledger"
)

// written makes a ledger with every kind of entry and returns its path and what
// Verify says of it.
func written(t *testing.T) (string, ledger.Proof) {
	t.Helper()
	return writtenBy(t, ledger.Options{Budget: daily, SecretID: "first", Clock: newClock().now})
}

func writtenBy(t *testing.T, o ledger.Options) (string, ledger.Proof) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.OpenFile(path, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("alice", "a", 1), request("bob", "b", 2)); err != nil {
		t.Fatal(err)
	}
	if err = l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 5, Who: "root", Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("alice", "c", 14)); err != nil {
		t.Fatal(err)
	}
	p := verify(t, l)
	if err = l.Close(); err != nil {
		t.Fatal(err)
	}
	return path, p
}

// examine opens and verifies a ledger by itself, without the head that was noted
// of it.
func examine(t *testing.T, path string, noted ...ledger.Digest) (ledger.Proof, error) {
	t.Helper()
	l, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, Head: ledger.NoHead})
	if err != nil {
		return ledger.Proof{}, err
	}
	defer l.Close()
	return l.Verify(t.Context(), noted...)
}

const firstFrame = 8192 // behind the two pages of marks

// change writes bytes of a file behind the ledger's back.
func change(t *testing.T, path string, at int64, content ...byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(content, at); err != nil {
		t.Fatal(err)
	}
}

// A flipped bit in any byte of the log is found, wherever the file is cut off
// too, and the error names an entry. In the marks it is found, or the other mark
// serves.
func TestDamage(t *testing.T) {
	t.Parallel()
	path, whole := written(t)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		if i >= 64 && i < firstFrame && (i < 4096 || i >= 4096+64) {
			continue // nothing is there
		}
		change(t, path, int64(i), content[i]^1<<(i%8))
		p, err := examine(t, path, whole.Head)
		if i < firstFrame && (err == nil && p != whole || err != nil && !errors.Is(err, ledger.ErrDamaged)) {
			t.Errorf("byte %d of the marks: Verify says %+v, %v", i, p, err)
		}
		if i >= firstFrame && !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("byte %d: Verify says %+v, %v; want %v", i, p, err, ledger.ErrDamaged)
		}
		change(t, path, int64(i), content[i])
	}
	t.Logf("%d bytes", len(content)-firstFrame)
	for size := range len(content) - 1 {
		if size > 100 && size < firstFrame-100 {
			continue
		}
		if err := os.WriteFile(path, content[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := examine(t, path); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("cut off at %d: Verify says %+v, %v; want %v", size, p, err, ledger.ErrDamaged)
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := examine(t, path, whole.Head); err != nil || p != whole {
		t.Errorf("mended again: %+v, %v; want %+v", p, err, whole)
	}
}

// Damage is named by its entry.
func TestDamageIsLocated(t *testing.T) {
	path, _ := written(t)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for text, entry := range map[string]string{"a": "entry 3", "b": "entry 4", "c": "entry 6"} {
		check := key("check " + text)
		at := bytes.Index(content, check[:])
		if at < 0 {
			t.Fatalf("the check of %q is not in the file", text)
		}
		change(t, path, int64(at), content[at]^1)
		if _, err := examine(t, path); err == nil || !strings.Contains(err.Error(), entry+" ") {
			t.Errorf("the spend of %q: %v, want it to name %s", text, err, entry)
		}
		change(t, path, int64(at), content[at])
	}
}

// rewrite copies a log frame by frame, as somebody does who can write the file
// and knows its form, but not the key.
func rewrite(t *testing.T, path string, forge func(frames []ledger.Frame) []ledger.Frame) {
	t.Helper()
	in, err := ledger.OpenLog(path, ledger.LogOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var frames []ledger.Frame
	if err = in.Scan(in.End(), func(f *ledger.Frame) error {
		kept := *f
		kept.Body = bytes.Clone(f.Body)
		frames = append(frames, kept)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err = errors.Join(in.Close(), os.Remove(path), ledger.CreateLog(path, nil)); err != nil {
		t.Fatal(err)
	}
	out, err := ledger.OpenLog(path, ledger.LogOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forge(frames) {
		if _, err = out.Append(f.Kind, f.Count, f.Body, f.LogSeal); err != nil {
			t.Fatal(err)
		}
	}
	if err = out.Close(); err != nil {
		t.Fatal(err)
	}
}

// Frames that are whole by their checksums and wrong in their place are found.
func TestDamageOfFrames(t *testing.T) {
	t.Parallel()
	type frames = []ledger.Frame
	for name, forge := range map[string]func(frames) frames{
		"one is missing":       func(f frames) frames { return slices.Delete(f, 1, 2) },
		"the first is missing": func(f frames) frames { return f[1:] },
		"one is there twice":   func(f frames) frames { return slices.Insert(f, 1, f[1]) },
		"two are exchanged":    func(f frames) frames { f[1], f[2] = f[2], f[1]; return f },
		"another kind":         func(f frames) frames { f[1].Kind = 'X'; return f },
		"another count":        func(f frames) frames { f[1].Count++; return f },
		"none":                 func(f frames) frames { f[1].Count, f[1].Body = 0, nil; return f },
		"another head":         func(f frames) frames { f[1].Head[3]++; return f },
		"one is written anew": func(f frames) frames {
			f[1].Body = respell(f, 1, func(r *ledger.Record) { r.Check[0]++ })
			return f
		},
		"cheaper": func(f frames) frames {
			f[1].Body = respell(f, 1, func(r *ledger.Record) {
				r.Means = ledger.NewMeans(r.Means.Mechanism, r.Means.Guarantee, r.Means.Epsilon/2, 0)
			})
			return f
		},
		"for another": func(f frames) frames {
			f[1].Body = respell(f, 1, func(r *ledger.Record) { r.Subject = "mallory" })
			return f
		},
	} {
		path, _ := written(t)
		rewrite(t, path, forge)
		if p, err := examine(t, path); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: Verify says %+v, %v; want %v", name, p, err, ledger.ErrDamaged)
		}
		if l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now}); !errors.Is(err, ledger.ErrDamaged) {
			if err == nil {
				l.Close()
			}
			t.Errorf("%s: opening to write: %v, want %v", name, err, ledger.ErrDamaged)
		}
	}
}

// respell changes the spends of a frame, with checksums that are right.
func respell(frames []ledger.Frame, at int, edit func(*ledger.Record)) []byte {
	var in, out ledger.Coder
	var body []byte
	for _, f := range frames[:at+1] {
		body = nil
		for rest := f.Body; len(rest) > 0; {
			var r ledger.Record
			n, entry, err := in.Next(rest, &r)
			if err != nil {
				panic(err)
			}
			if entry {
				if r.Means != nil && f.Offset == frames[at].Offset {
					edit(&r)
				}
				body, _ = out.Append(body, &r)
			}
			rest = rest[n:]
		}
	}
	return body
}

// A spend that is damaged while the ledger is open is the trouble of those who
// ask for it again, not of the others in the same write.
func TestDamageOfOne(t *testing.T) {
	path, _ := written(t)
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := key("check a")
	change(t, path, int64(bytes.Index(content, damaged[:])), damaged[0]^1)
	answers := make(chan error, 40)
	for i := range 40 {
		go func() {
			if i%2 == 1 {
				_, err := l.Spend(t.Context(), request("bob", string(rune('0'+i)), 0.1))
				answers <- err
				return
			}
			_, err := l.Spend(t.Context(), request("alice", "a", 1))
			if errors.Is(err, ledger.ErrDamaged) && errors.Is(err, ledger.ErrUnavailable) {
				err = nil
			} else {
				err = errors.Join(errors.New("alice, whose spend is damaged, got another answer"), err)
			}
			answers <- err
		}()
	}
	for range 40 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if got := left(t, l, "bob"); got != 6 {
		t.Errorf("left of bob is %v, want 6", got)
	}
}

// What was being written when the machine stopped was never confirmed: it is
// dropped, and what was confirmed is not, whichever part of it had reached the
// disk, and whether or not the mark behind it had.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	path, _ := written(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("bob", "last", 1)); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path) // its last frame stands behind the mark
	if err != nil {
		t.Fatal(err)
	}
	whole := verify(t, l)
	if err = l.Close(); err != nil {
		t.Fatal(err)
	}
	try := func(name string, content []byte, spends uint64) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := examine(t, path); err != nil || p.Spends != spends {
			t.Errorf("%s: Verify says %+v, %v; want %d spends", name, p, err, spends)
		}
		again, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now, Head: ledger.NoHead})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := again.Spend(t.Context(), request("bob", "last", 1))
		if err != nil || r[0].Repeated != (spends == whole.Spends) {
			t.Errorf("%s: the last spend again: %+v, %v", name, r, err)
		}
		if p := verify(t, again); p.Spends != whole.Spends {
			t.Errorf("%s: %d spends, want %d", name, p.Spends, whole.Spends)
		}
		again.Close()
	}
	try("all of it", after, whole.Spends)
	for size := len(before); size < len(after); size++ {
		try(fmt.Sprint("cut off at ", size), after[:size], whole.Spends-1)
	}
	for i := len(before); i < len(after); i++ {
		torn := bytes.Clone(after)
		torn[i] ^= 0x55
		try(fmt.Sprint("torn at ", i), torn, whole.Spends-1)
	}
	try("zeros", append(bytes.Clone(before), make([]byte, 5000)...), whole.Spends-1)
}

// An older copy of the file is whole, so that only a noted head betrays it.
func TestOlderCopy(t *testing.T) {
	path, old := written(t)
	copied, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("bob", "later", 1)); err != nil {
		t.Fatal(err)
	}
	noted := verify(t, l).Head
	l.Close()
	if _, err = examine(t, path, old.Head, noted); err != nil {
		t.Errorf("the file itself: %v", err)
	}
	if err = os.WriteFile(path, copied, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, failed := examine(t, path); failed != nil || p != old {
		t.Errorf("the older copy: %+v, %v; want %+v", p, failed, old)
	}
	if _, err = examine(t, path, noted); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("the older copy, with the noted head: %v, want %v", err, ledger.ErrDamaged)
	}
}

// Bytes that are changed in the file itself, below the library, are found or
// change nothing; either way nothing panics. Where they were is not chosen.
func TestDamageRaw(t *testing.T) {
	t.Parallel()
	path, whole := written(t)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := weakrand.New(weakrand.NewPCG(3, 4))
	found, rounds := 0, 400
	if testing.Short() {
		rounds = 40
	}
	for range rounds {
		bad := bytes.Clone(content)
		i := r.IntN(len(bad))
		bad[i] ^= byte(1 + r.IntN(255))
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := examine(t, path, whole.Head)
		if err == nil && p != whole {
			t.Errorf("byte %d: the proof is %+v, want %+v or an error", i, p, whole)
		}
		if err != nil {
			found++
		}
	}
	for _, size := range []int{0, 1, 4096, 8192, 9000, len(content) / 2} {
		if err := os.WriteFile(path, content[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := examine(t, path, whole.Head); err == nil && p != whole {
			t.Errorf("cut to %d bytes: the proof is %+v, want %+v or an error", size, p, whole)
		}
	}
	t.Logf("%d of %d changes were found, the others changed nothing", found, rounds)
}

func TestFileRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, bytes.Repeat([]byte("no ledger "), 10000), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	if err := os.WriteFile(foreign, []byte("sotto-ledger-2\n\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path    string
		options ledger.Options
		want    error
	}{
		{filepath.Join(dir, "absent"), ledger.Options{ReadOnly: true}, ledger.ErrUnavailable},
		{filepath.Join(dir, "no", "folder"), ledger.Options{Budget: daily}, ledger.ErrUnavailable},
		{dir, ledger.Options{Budget: daily}, ledger.ErrUnavailable},
		{filepath.Join(dir, "empty"), ledger.Options{Budget: daily}, ledger.ErrDamaged},
		{other, ledger.Options{Budget: daily}, ledger.ErrDamaged},
		{foreign, ledger.Options{Budget: daily}, ledger.ErrDamaged},
		{foreign, ledger.Options{ReadOnly: true}, ledger.ErrDamaged},
	} {
		if _, err := ledger.OpenFile(tt.path, tt.options); !errors.Is(err, tt.want) {
			t.Errorf("OpenFile(%s): %v, want %v", filepath.Base(tt.path), err, tt.want)
		}
	}
	if _, err := ledger.OpenFile(filepath.Join(dir, "new"), ledger.Options{}); err == nil {
		t.Error("a new ledger was opened without a budget")
	}
	path, _ := written(t)
	l, err := ledger.OpenFile(path, ledger.Options{Clock: newClock().now})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := ledger.OpenFile(path, ledger.Options{Budget: daily}); !errors.Is(err, ledger.ErrLocked) || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a ledger that is open: %v, want %v", err, ledger.ErrLocked)
	}
	if _, err := examine(t, path); err != nil {
		t.Errorf("reading a ledger that is open: %v", err)
	}
}
