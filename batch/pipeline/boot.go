package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// WorkerArgs returns the flags of a worker of Beam if an engine has started this process as
// one, and nil otherwise. An engine that is told --environment_type=PROCESS leaves it to
// the process to find out where it should ask: Prism names one address for everything,
// and quotes the worker's name as a shell would need it.
func WorkerArgs(args []string) []string {
	if slices.ContainsFunc(args, func(a string) bool { return a == "--worker" || a == "-worker" || a == "--worker=true" }) {
		return args
	}
	said := map[string]string{}
	for _, a := range args {
		name, value, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		said[name] = strings.Trim(value, "'")
	}
	at := said["provision_endpoint"]
	if said["id"] == "" || at == "" {
		return nil
	}
	return []string{
		"--worker", "--id=" + said["id"],
		"--logging_endpoint=" + cmp.Or(said["logging_endpoint"], at),
		"--control_endpoint=" + cmp.Or(said["control_endpoint"], at),
	}
}
