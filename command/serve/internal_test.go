package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"sotto/command/term"
)

// TestSettle: flags before the environment before the file before defaults.
func TestSettle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(`{"listen": "file", "model": "file", "max-rows": 9, "wait": "3s"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	flags, o := pflag.NewFlagSet("serve", pflag.ContinueOnError), serveOptions{}
	o.addFlags(flags)
	if err := flags.Parse([]string{"--listen", "flag", "--config", file}); err != nil {
		t.Fatal(err)
	}
	if err := term.Settle(flags, "SOTTO_SERVE_", []string{"SOTTO_SERVE_LISTEN=env", "SOTTO_SERVE_MODEL=env", "OTHER=1"}, &o.config); err != nil {
		t.Fatal(err)
	}
	if o.listen != "flag" || o.Model != "env" || o.MaxRows != 9 || o.Wait != 3*time.Second || o.Concurrency != 64 {
		t.Errorf("settled %+v, want listen of the flag, model of the environment, rows and wait of the file", o)
	}
	for _, text := range []string{`{"wait": null}`, `{"wait": ["1s"]}`, `{"wait": {}}`, `{"config": "x"}`, `{} {}`, `[]`, `{"concurrency": "many"}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags, o = pflag.NewFlagSet("serve", pflag.ContinueOnError), serveOptions{}
		o.addFlags(flags)
		if err := term.Settle(flags, "SOTTO_SERVE_", nil, &file); err == nil || !strings.Contains(err.Error(), "must") && !strings.Contains(err.Error(), "kind") {
			t.Errorf("%s: error %v, want one", text, err)
		}
	}
	for _, tt := range []struct{ env, want string }{
		{"SOTTO_SERVE_MODELL=x", "SOTTO_SERVE_MODELL: there is no such setting"},
		{"SOTTO_SERVE_MAX_ROWS=confidential", "SOTTO_SERVE_MAX_ROWS: value is not of the kind"},
		{"SOTTO_SERVE_HELP=true", "no such setting"},
	} {
		flags, o = pflag.NewFlagSet("serve", pflag.ContinueOnError), serveOptions{}
		o.addFlags(flags)
		if err := term.Settle(flags, "SOTTO_SERVE_", []string{tt.env}, &o.config); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "confidential") {
			t.Errorf("%s: error %v, want %q", tt.env, err, tt.want)
		}
	}
	flags, of := pflag.NewFlagSet("gateway", pflag.ContinueOnError), gatewayOptions{}
	of.addFlags(flags)
	if err := term.Settle(flags, "SOTTO_GATEWAY_", []string{"SOTTO_GATEWAY_ENCODER_ROOT=/"}, &of.config); err == nil || !strings.Contains(err.Error(), "must stand on the command line") {
		t.Errorf("a root in the environment: %v, want that it must stand on the command line", err)
	}
}
