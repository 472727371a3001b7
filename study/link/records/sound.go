package records

// Sound is the Soundex code of a word: its first letter, and the classes of the
// consonants behind it, as the National Archives of the United States have it, without
// the zeros at its end. Of a word that begins with no letter from a to z it is the word.
func Sound(w string) string {
	code := sound(w)
	if code == 0 {
		return w
	}
	var out []byte
	for ; code > 0; code >>= 8 {
		out = append(out, byte(code))
	}
	return string(out)
}

// sound is the code in one number, the first letter lowest; 0 if there is none.
func sound(w string) uint32 {
	const classes = "01230120022455012623010202" // of a to z; 0 for vowels, h, w and y
	if w == "" || w[0] < 'a' || w[0] > 'z' {
		return 0
	}
	out, n := uint32(w[0]), 1
	last := classes[w[0]-'a']
	for k := 1; k < len(w) && n < 4; k++ {
		c := w[k]
		if c < 'a' || c > 'z' {
			continue
		}
		class := classes[c-'a']
		if class != '0' && class != last {
			out |= uint32(class) << (8 * n)
			n++
		}
		if c != 'h' && c != 'w' {
			last = class
		}
	}
	return out
}
