package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sotto/command/term"
	"sotto/service/gateway/keys"
)

// keyOptions are the flags of "sotto gateway key".
type keyOptions struct {
	keys.Order
	scopes, expires, file string
}

func newGatewayKey(std term.Streams) *cobra.Command {
	var o keyOptions
	c := &cobra.Command{
		Use:   "key --subject NAME",
		Short: "Make an API key: the key to standard error, its entry to standard output",
		Long: `Make an API key. The key is shown once, on standard error, and kept nowhere; what
goes to standard output, or into the file of --keys, is its entry, with a hash of
it. A gateway that runs takes it on SIGHUP.

Who asks with the key spends the budget of NAME, or of NAME/USER where a request
names a user. Whoever may name users can make them up, and a budget for each;
with --single the key stands for one subject, and requests may name none.

A key is for nothing but its scopes:
  embed     POST /v1/embeddings
  classify  POST /v1/classify
  budget    GET /v1/budget, of NAME and its users
  metrics   GET /metrics
  admin     POST /v1/admin/…, and GET /v1/budget of everybody`,
		Example: `  sotto gateway key --subject alice >>keys.jsonl
  sotto gateway key --subject shop --scope embed --expires 90d --keys keys.jsonl
  sotto gateway key --subject prometheus --scope metrics --expires 2027-01-01 --keys keys.jsonl`,
		Args: term.None,
		RunE: func(*cobra.Command, []string) error { return runGatewayKey(o, std, time.Now()) },
	}
	c.Flags().StringVar(&o.Subject, "subject", "", "who spends with the key, in letters, digits and . _ @ -")
	c.Flags().BoolVar(&o.Single, "single", false, "refuse requests with this key that name a user")
	c.Flags().StringVar(&o.scopes, "scope", "embed,classify,budget", "scopes of the key: embed, classify, budget, metrics, admin, separated by commas")
	c.Flags().StringVar(&o.expires, "expires", "", "day on which the key ends, such as 2027-01-01, or time for which it lasts, such as 90d or 12h (default: never)")
	c.Flags().StringVar(&o.file, "keys", "", "file of keys to which the entry is added, made if absent (default: standard output)")
	return c
}

func runGatewayKey(o keyOptions, std term.Streams, now time.Time) (err error) {
	if o.Scopes, err = keys.ParseScopes(o.scopes); err != nil {
		return fmt.Errorf("--scope: %w", err)
	}
	if o.Expires, err = parseExpiry(o.expires, now); err != nil {
		return err
	}
	key, entry, err := keys.New(o.Order)
	if err != nil {
		return err
	}
	if o.file != "" {
		err = keys.Add(o.file, entry)
	} else {
		err = json.NewEncoder(std.Out).Encode(entry)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Err, "the key, shown this once: %s\n", key)
	return err
}

// parseExpiry reads a day, a time or how long from now; zero for "".
func parseExpiry(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		var long time.Duration
		if days, ok := strings.CutSuffix(text, "d"); ok {
			var n int
			n, err = strconv.Atoi(days)
			if n > 36500 {
				err = errors.New("too long")
			}
			at = now.AddDate(0, 0, n)
		} else if long, err = time.ParseDuration(text); err == nil {
			at = now.Add(long)
		}
	}
	if err != nil || !at.After(now) {
		return at, fmt.Errorf("--expires is %q, must be a day or a time to come, such as 2027-01-01, or how long, such as 90d or 12h", text)
	}
	return at.UTC().Truncate(time.Second), nil
}

func newGatewayKeys(std term.Streams) *cobra.Command {
	return term.Group(&cobra.Command{
		Use:   "keys",
		Short: "List and revoke API keys",
		Long: `Look after a file of API keys. A gateway takes the file as it is now when it is
sent SIGHUP.`,
	}, newKeysList(std), newKeysRevoke(std))
}

// keyLine is one key for people and scripts.
type keyLine struct {
	ID      string       `json:"id"`
	Subject string       `json:"subject"`
	Single  bool         `json:"single"`
	Scopes  []keys.Scope `json:"scopes"`
	Expires *time.Time   `json:"expires"` // null: never
	Revoked *time.Time   `json:"revoked"` // null: not
	State   string       `json:"state"`
}

func keyLines(all []keys.Entry, now time.Time) []keyLine {
	lines := make([]keyLine, len(all))
	for i, e := range all {
		lines[i] = keyLine{ID: e.ID, Subject: e.Subject, Single: e.Single, Scopes: e.May(), State: e.State(now)}
		if !e.Expires.IsZero() {
			lines[i].Expires = &e.Expires
		}
		if !e.Revoked.IsZero() {
			lines[i].Revoked = &e.Revoked
		}
	}
	return lines
}

func printKeys(out io.Writer, lines []keyLine) error {
	t := term.NewTable(out, "ID", "SUBJECT", "SCOPES", "EXPIRES", "STATE")
	for _, l := range lines {
		names := make([]string, len(l.Scopes))
		for i, s := range l.Scopes {
			names[i] = string(s)
		}
		expires := "never"
		if l.Expires != nil {
			expires = l.Expires.Format(time.RFC3339)
		}
		t.Row(l.ID, l.Subject, strings.Join(names, ","), expires, l.State)
	}
	return t.Flush()
}

func newKeysList(std term.Streams) *cobra.Command {
	var file string
	var asJSON bool
	c := &cobra.Command{
		Use:   "list --keys FILE",
		Short: "List the keys of a file: id, subject, scopes, end and state",
		Long: `List the keys of a file: the id, which is the key's own first part, whose it is,
what it is for, until when, and whether it is active, expired or revoked.`,
		Example: `  sotto gateway keys list --keys keys.jsonl
  sotto gateway keys list --keys keys.jsonl --json`,
		Args: term.None,
		RunE: func(*cobra.Command, []string) error {
			if file == "" {
				return errors.New("want --keys, a file of keys")
			}
			set, err := keys.Load(file)
			if err != nil {
				return err
			}
			return term.Show(std.Out, asJSON, keyLines(set.Entries(), time.Now()), printKeys)
		},
	}
	c.Flags().StringVar(&file, "keys", "", "file of keys")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func newKeysRevoke(std term.Streams) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "revoke --keys FILE ID…",
		Short: "Revoke keys by id or subject",
		Long: `Revoke keys by their ids, the 12 digits after sotto_, or all keys of a subject. The
entries stay in the file, marked with when, so that it says what there was. The
file is replaced as a whole, with the same owner and mode. A gateway goes on taking
the keys until it is sent SIGHUP.`,
		Example: `  sotto gateway keys revoke --keys keys.jsonl 5f2d6f4c9a31
  sotto gateway keys revoke --keys /etc/sotto/keys.jsonl shop && systemctl reload sotto-gateway`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, names []string) error {
			if file == "" {
				return errors.New("want --keys, a file of keys")
			}
			revoked, err := keys.Revoke(file, names, time.Now())
			if err != nil {
				return err
			}
			if len(revoked) == 0 {
				_, err = fmt.Fprintln(std.Out, "revoked before")
			}
			for _, e := range revoked {
				_, failed := fmt.Fprintf(term.ForPeople(std.Out), "revoked %s of %s; a gateway that runs takes it until it is sent SIGHUP\n", e.ID, e.Subject)
				err = errors.Join(err, failed)
			}
			return err
		},
	}
	c.Flags().StringVar(&file, "keys", "", "file of keys")
	return c
}
