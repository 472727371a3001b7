package pack

import (
	"slices"
	"strings"
)

// licences are what a text must say, in small letters and with single spaces, to be a
// licence, by its name at SPDX. A BSD licence of two clauses is one that lacks the third.
var licences = []struct {
	id   string
	says []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy"}},
	{"MPL-2.0", []string{"mozilla public license", "version 2.0"}},
}

// Licences returns the SPDX names of the licences that a text holds, sorted; none of a
// text that is no licence we know.
func Licences(text []byte) []string {
	words := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	var ids []string
	for _, l := range licences {
		if l.id == "BSD-2-Clause" && slices.Contains(ids, "BSD-3-Clause") {
			continue
		}
		if !slices.ContainsFunc(l.says, func(phrase string) bool { return !strings.Contains(words, phrase) }) {
			ids = append(ids, l.id)
		}
	}
	slices.Sort(ids)
	return ids
}
