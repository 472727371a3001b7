package text

// HashBasis is the state of [HashOn] before any text.
const HashBasis = 0xcbf29ce484222325

const hashPrime = 0x100000001b3

// HashOn continues FNV-1a with 64 bits from a state, over the bytes of s: a fixed
// hash without a secret, which hides nothing.
func HashOn(state uint64, s string) uint64 {
	for i := range len(s) {
		state = (state ^ uint64(s[i])) * hashPrime
	}
	return state
}

// HashEnd is the finaliser of MurmurHash3 (fmix64), after which each bit of the
// result depends on every bit of the state: FNV leaves the upper bits of short words
// alike.
func HashEnd(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
