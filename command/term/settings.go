package term

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"sotto/internal/atomicfile"
	"sotto/internal/layout"
	"sotto/internal/regular"
)

// maxSettings bounds a file of settings, in bytes.
const maxSettings = 1 << 20

// Settle sets flags that the command line did not give from the environment,
// and those that this did not give from the file whose path is then in config.
func Settle(fs *pflag.FlagSet, prefix string, environ []string, config *string) error {
	given := map[string]bool{"help": true}
	fs.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	for _, e := range environ {
		variable, value, _ := strings.Cut(e, "=")
		name, ours := strings.CutPrefix(variable, prefix)
		if !ours {
			continue
		}
		name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		if err := setUnlessGiven(fs, given, name, value); err != nil {
			return fmt.Errorf("environment: %s: %w", variable, err)
		}
	}
	fs.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	if *config == "" {
		return nil
	}
	content, err := regular.Read(*config, maxSettings)
	if err != nil {
		return err
	}
	settings, err := ReadSettings(content)
	if err != nil {
		return fmt.Errorf("%s: %w", *config, err)
	}
	for name, raw := range settings {
		if name == "config" {
			return fmt.Errorf("%s names another config, must not", *config)
		}
		if list, ok := listOf(fs, name, raw); ok {
			raw = list
		}
		value := string(raw) // a number or a truth value reads as on the command line
		if raw[0] == '"' && json.Unmarshal(raw, &value) != nil || raw[0] == '[' || raw[0] == '{' || raw[0] == 'n' {
			return fmt.Errorf("%s: %s must be a string, a number, true or false", *config, name)
		}
		if err := setUnlessGiven(fs, given, name, value); err != nil {
			return fmt.Errorf("%s: %s: %w", *config, name, err)
		}
	}
	return nil
}

// listOf returns a list of words as a flag that takes several has it, in one text
// with commas.
func listOf(fs *pflag.FlagSet, name string, raw json.RawMessage) (json.RawMessage, bool) {
	var words []string
	f := fs.Lookup(name)
	if f == nil || f.Value.Type() != "stringSlice" || json.Unmarshal(raw, &words) != nil || strings.ContainsAny(strings.Join(words, ""), "\",\n") {
		return nil, false
	}
	one, err := json.Marshal(strings.Join(words, ","))
	return one, err == nil
}

// ReadSettings reads one JSON object, each field of which stands there once.
func ReadSettings(content []byte) (map[string]json.RawMessage, error) {
	settings := map[string]json.RawMessage{}
	err := atomicfile.ParseObject(content, func(name string, value json.RawMessage) error {
		if _, twice := settings[name]; twice {
			return fmt.Errorf("%q is there twice, must be there once", name)
		}
		settings[name] = value
		return nil
	})
	if errors.Is(err, atomicfile.ErrObject) {
		err = errors.New("must be one JSON object of settings")
	}
	return settings, err
}

// setUnlessGiven sets a flag that has no value from a stronger source.
func setUnlessGiven(fs *pflag.FlagSet, given map[string]bool, name, value string) error {
	if name == "help" || fs.Lookup(name) == nil {
		return fmt.Errorf("there is no such setting%s", layout.Hint(name, flagNames(fs)))
	}
	if name == rootFlag {
		return fmt.Errorf("must stand on the command line, as --%s: no file says what files may name", rootFlag)
	}
	if given[name] {
		return nil
	}
	if err := fs.Set(name, value); err != nil {
		return errors.New("value is not of the kind that the flag takes")
	}
	return nil
}
