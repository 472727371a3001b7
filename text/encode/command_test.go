package encode_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"sotto/compute/nn"
	"sotto/text/encode"
)

// The test binary plays the foreign program when this variable is set.
const foreignMode = "SOTTO_TEST_ENCODER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(foreignMode); mode != "" {
		playForeign(mode)
		return
	}
	os.Exit(m.Run())
}

// playForeign answers lines on standard input as the mode says. The text "a"
// asks for the length and is always answered well.
func playForeign(mode string) {
	out := bufio.NewWriter(os.Stdout)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for n := 0; in.Scan(); n++ {
		var s string
		if json.Unmarshal(in.Bytes(), &s) != nil {
			os.Exit(9)
		}
		line, _ := json.Marshal(embed(s + "\x00")) //nolint:errchkjson // numbers
		fmt.Fprintln(os.Stderr, s)
		if s == "a" {
			line = []byte("[1,2,3]")
		} else {
			switch mode {
			case "dies":
				fmt.Fprintln(out, string(line))
				out.Flush() //nolint:errcheck // the parent sees it
				os.Exit(7)
			case "leaves":
				os.Exit(0)
			case "echo":
				line = in.Bytes()
			case "NaN":
				line = []byte("[1,2,NaN]")
			case "short":
				line = []byte("[1,2]")
			case "large":
				line = []byte("[1,2,1e30]")
			case "talkative":
				line = append(append(line, '\n'), line...)
			case "silent":
				time.Sleep(time.Minute)
			case "endless":
				for {
					if _, err := out.Write(make([]byte, 1<<20)); err != nil {
						return
					}
				}
			}
		}
		fmt.Fprintln(out, string(line))
		if out.Flush() != nil || mode == "once" && n > 0 {
			return
		}
	}
}

// foreign starts the test binary as a program.
func foreign(t *testing.T, mode string, c encode.CommandConfig) *encode.Command {
	t.Helper()
	t.Setenv(foreignMode, mode)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m, err := encode.NewCommand(t.Context(), []string{self, "-an argument"}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestCommand(t *testing.T) {
	for _, processes := range []int{1, 3} {
		m := foreign(t, "honest", encode.CommandConfig{Processes: processes})
		all := append(texts(1000), "", "line\nbreak\u2028 and \xff", strings.Repeat("long ", 100_000))
		for range 2 { // the second time by the same processes
			got, err := encode.Texts(t.Context(), m, all, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range all {
				v := embed(strings.ToValidUTF8(s, "\ufffd") + "\x00")
				if want := []float32{float32(v[0]), float32(v[1]), float32(v[2])}; !slices.Equal(got.Row(i), want) {
					t.Errorf("row %d is %v, want %v", i, got.Row(i), want)
				}
			}
		}
		if err := m.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if _, err := encode.Texts(t.Context(), m, all[:1], 1); err != nil {
			t.Errorf("after Close: %v", err)
		}
	}
}

// A program that ends after an answer is started again for the next texts.
func TestCommandOnce(t *testing.T) {
	m := foreign(t, "once", encode.CommandConfig{})
	for range 3 {
		if _, err := encode.Texts(t.Context(), m, []string{"b"}, 1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // so that it has ended more often than not
	}
}

func TestHostileCommands(t *testing.T) {
	for _, tt := range []struct{ mode, want string }{
		{"dies", "ended after 1 of 2 answers with exit status 7; what it wrote to standard error is not shown"},
		{"leaves", "ended after 0 of 2 answers with exit status 0"},
		{"echo", "gave an answer 1 that is not a JSON array"},
		{"NaN", "gave an answer 1 that is not a JSON array"},
		{"short", "gave an answer 1 that has 2 numbers, must have 3"},
		{"large", "gave an answer 1 that has a number 3 that is not from"},
		{"talkative", "wrote more lines than it was sent"},
		{"silent", "gave no answer within 200ms"},
		{"endless", "answer 1 of more than 67108864 bytes"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			c := encode.CommandConfig{Dim: 3}
			if tt.mode == "silent" {
				c.Timeout = 200 * time.Millisecond
			}
			m := foreign(t, tt.mode, c)
			_, err := encode.Texts(t.Context(), m, []string{private, private + " too"}, 1)
			err = errors.Join(err, m.Close()) // which sees what came too late
			wantError(t, err, tt.want)
			if strings.Contains(fmt.Sprint(err), "private") {
				t.Errorf("error %v quotes a text", err)
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"command:", "command is empty"},
		{"command:  ", "command is empty"},
		{"command:no-such-program-anywhere", "cannot be started"},
	} {
		_, err := encode.OpenContext(t.Context(), tt.spec, "")
		wantError(t, err, tt.want)
	}
	_, err := encode.NewCommand(t.Context(), []string{"true"}, encode.CommandConfig{Dim: -1})
	wantError(t, err, "is negative")
	m := foreign(t, "honest", encode.CommandConfig{})
	wantError(t, m.EncodeBatch(t.Context(), nn.NewMatrix(1, 3), []string{"b"}, 0), "workers is 0")
	defer func() {
		if recover() == nil {
			t.Error("no panic for a matrix of another shape, want one")
		}
	}()
	m.EncodeBatch(t.Context(), nn.NewMatrix(1, 2), []string{"b"}, 1) //nolint:errcheck // it panics
}

func ExampleCommand() {
	// The program is this test, which answers with the length of a text, its
	// first byte and 1.
	os.Setenv(foreignMode, "honest") //nolint:errcheck // the answer would show it
	defer os.Unsetenv(foreignMode)   //nolint:errcheck // the tests set what they need
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := encode.NewCommand(context.Background(), []string{self}, encode.CommandConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := encode.Texts(context.Background(), m, []string{"one", "four"}, 1)
	fmt.Println(x.Data, err, m.Close())
	// Output: [4 111 1 5 102 1] <nil> <nil>
}

func TestCommandStopsWithContext(t *testing.T) {
	m := foreign(t, "silent", encode.CommandConfig{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := encode.Texts(ctx, m, []string{private}, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error = %v, want DeadlineExceeded", err)
	}
}
