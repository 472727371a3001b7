package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A directive is an HTML comment on the line before a block, which readers of the
// page do not see. It begins with "run:", and its words say how the block is run:
//
//	long            only with SOTTO_LONG=1, because it takes more than seconds
//	slow            only with SOTTO_DOCS=all, because it takes minutes to an hour:
//	                make docs runs these too
//	data=a,b        only where these data sets are
//	file=p          only where this file is, below the folder of data sets; it is
//	                linked into the working folder under its own name
//	need=x,y        only where these programs are
//	encoder=x       only where this fetched encoder is
//	exit=N          the last command ends with this code instead of 0
//	parse           the command line is checked and not run; the comment must give
//	                the reason after a colon: <!-- run: parse: takes hours -->
//	never           as parse, for what is no command of ours
//	as=NAME         the block is no command but a file of that name, which is written
//	first           the comment itself holds commands, on the lines after the first,
//	                that make what the page presupposes, such as a file of texts
//
// A line that begins with "$ " is a command and those after it are its output; a
// block without such lines holds commands alone. A block of JSON right after it is
// the output of its last command. A server is left running until the page ends, or
// until the next one is started at the same address; where its line says Ctrl-C, it
// is stopped once it answers.

// block is a part of a page that is run.
type block struct {
	line     int
	words    []string
	reason   string // of parse and never
	commands []command
	body     string // of a file
}

// command is a command as typed, with what the page says that it prints.
type command struct {
	text   string
	output []string
	object string // the JSON that the page shows of its output
}

func (b block) has(word string) bool {
	for _, w := range b.words {
		if w == word {
			return true
		}
	}
	return false
}

// value returns what stands after "name=", separated by commas.
func (b block) value(name string) []string {
	for _, w := range b.words {
		if v, ok := strings.CutPrefix(w, name+"="); ok {
			return strings.Split(v, ",")
		}
	}
	return nil
}

// ours finds a block that shows commands, whether or not it shows output too.
var ours = regexp.MustCompile(`(?m)^(\$ |sotto |curl |go (run|test|build) )`)

// parsePage finds the blocks of a page.
func parsePage(content string) ([]block, error) {
	var all []block
	var directive block
	after := false // nothing but blank lines since the last block of commands
	lines := strings.Split(content, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case strings.HasPrefix(line, "<!-- run:"):
			var err error
			begin := i
			for !strings.Contains(lines[i], "-->") {
				if i++; i == len(lines) {
					return nil, fmt.Errorf("line %d: the comment has no end", begin+1)
				}
			}
			directive, err = parseDirective(begin+1, lines[begin:i+1])
			if err != nil {
				return nil, err
			}
			if directive.has("first") {
				all, directive = append(all, directive), block{}
			}
		case strings.HasPrefix(line, "```"):
			indent := lines[i][:strings.Index(lines[i], "`")]
			begin := i + 1
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				lines[i] = strings.TrimPrefix(lines[i], indent)
			}
			language := strings.TrimPrefix(line, "```")
			body := strings.Join(lines[begin:i], "\n")
			shown := (language == "" || language == "sh" || language == "console") && ours.MatchString(body)
			if directive.value("as") != nil {
				directive.line, directive.body, shown = begin, body+"\n", false
				all, directive = append(all, directive), block{}
			}
			if !shown && directive.words != nil {
				return nil, fmt.Errorf("line %d: the block has no command, and says how it is run", begin)
			}
			if after && language == "json" && !shown {
				last := all[len(all)-1].commands
				last[len(last)-1].object = body
			}
			if after = shown; shown {
				directive.line = begin
				directive.commands = parseCommands(lines[begin:i])
				all = append(all, directive)
			}
			directive = block{}
		case line != "":
			after = false
		}
	}
	return all, nil
}

// parseDirective reads a comment.
func parseDirective(line int, comment []string) (block, error) {
	head, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(comment[0]), "<!-- run:"), "-->")
	head, reason, given := strings.Cut(strings.TrimSpace(head), ":")
	b := block{line: line, words: strings.Fields(head), reason: strings.TrimSpace(reason)}
	known := regexp.MustCompile(`^(long|slow|parse|never|first|(data|file|need|encoder|exit|as)=\S+)$`)
	for _, w := range b.words {
		if !known.MatchString(w) {
			return b, fmt.Errorf("line %d: %q is no way to run a block", line, w)
		}
	}
	if quiet := b.has("parse") || b.has("never"); quiet != given || quiet && b.reason == "" {
		return b, fmt.Errorf("line %d: parse and never give a reason after a colon, others none", line)
	}
	if b.has("first") {
		last := len(comment) - 1
		comment[last] = strings.TrimSuffix(strings.TrimSpace(comment[last]), "-->")
		b.commands = parseCommands(comment[1:])
	}
	return b, nil
}

// parseCommands splits the lines of a block. A command goes on for as long as the
// shell finds it unfinished.
func parseCommands(lines []string) []command {
	var all []command
	prompts := false
	for _, line := range lines {
		prompts = prompts || strings.HasPrefix(line, "$ ")
	}
	for i := 0; i < len(lines); i++ {
		text, isCommand := strings.CutPrefix(lines[i], "$ ")
		switch {
		case prompts && !isCommand && len(all) > 0:
			last := &all[len(all)-1]
			last.output = append(last.output, lines[i])
			continue
		case strings.TrimSpace(text) == "", strings.HasPrefix(text, "#"), prompts && !isCommand:
			continue
		}
		for i+1 < len(lines) && unfinished(text) {
			i++
			text += "\n" + lines[i]
		}
		all = append(all, command{text: text})
	}
	return all
}

// unfinished reports whether the shell would wait for more.
func unfinished(text string) bool {
	if strings.HasSuffix(text, "\\") {
		return true
	}
	if !strings.ContainsAny(text, `'"<({`) {
		return false
	}
	out, err := exec.Command("bash", "-n", "-c", text).CombinedOutput()
	said := string(out)
	return err != nil && strings.Contains(said, "unexpected E") || strings.Contains(said, "delimited by end-of-file")
}

func TestParsePage(t *testing.T) {
	blocks, err := parsePage(strings.Join([]string{
		"<!-- run: first", "printf 'a\\n' > a.txt", "-->", "", "text", "```", "$ sotto one \\", "    --two", "three 3", "", "$ sotto four", "```",
		"<!-- run: parse: takes hours -->", "```sh", "# a comment", "sotto five", "```", "```json", `{"sotto": 1}`, "```", "```", "output alone", "```",
		"<!-- run: as=file.json -->", "```json", `{}`, "```",
		"<!-- run: long data=adult,ag exit=1 -->", "```", "curl -d '{", "}' x", "```", "", "```json", `{"a": 1}`, "```",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) != 5 {
		t.Fatalf("got %d blocks, want 5: %+v", len(blocks), blocks)
	}
	if c := blocks[0].commands; len(c) != 1 || c[0].text != `printf 'a\n' > a.txt` {
		t.Errorf("the hidden commands are %q", c)
	}
	if c := blocks[1].commands; len(c) != 2 || c[0].text != "sotto one \\\n    --two" || c[0].output[0] != "three 3" || c[1].text != "sotto four" {
		t.Errorf("the commands with output are %q", c)
	}
	if b := blocks[2]; !b.has("parse") || b.reason != "takes hours" || len(b.commands) != 1 {
		t.Errorf("the block that is parsed is %+v", b)
	}
	if b := blocks[3]; b.value("as")[0] != "file.json" || b.body != "{}\n" {
		t.Errorf("the file is %+v", b)
	}
	if b := blocks[4]; !b.has("long") || len(b.value("data")) != 2 || b.value("exit")[0] != "1" || len(b.commands) != 1 || b.commands[0].object != `{"a": 1}` {
		t.Errorf("the last block is %+v", b)
	}
	for _, bad := range []string{"<!-- run: quickly -->", "<!-- run: parse -->", "<!-- run: long", "<!-- run: long -->\n```json\n1\n```"} {
		if _, err := parsePage(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// pages lists the pages whose commands are run.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	entries, err := os.ReadDir("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") {
			all = append(all, "docs/"+e.Name())
		}
	}
	return all
}
