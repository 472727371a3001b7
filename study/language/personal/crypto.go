package personal

import (
	"bytes"
	"crypto/sha256"
	"strings"
)

// crypto looks for the address of a cryptocurrency that is the word from i to j.
func (sc *scanner) crypto(i, j int) {
	w := sc.s[i:j]
	switch {
	case len(w) == 42 && (strings.HasPrefix(w, "0x") || strings.HasPrefix(w, "0X")) && allHex(w[2:]):
		sc.prove(Crypto, "ethereum", i, j, strong)
	case len(w) >= 14 && len(w) <= 90 && (hasFold(w, "bc1") || hasFold(w, "tb1") || hasFold(w, "ltc1")):
		if bech32(strings.ToLower(w)) {
			sc.prove(Crypto, "bitcoin", i, j, certain)
		}
	case len(w) >= 26 && len(w) <= 35 && strings.IndexByte("13LMDX", w[0]) >= 0:
		if base58check(w) {
			sc.prove(Crypto, "bitcoin", i, j, certain)
		}
	}
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func allHex(s string) bool {
	for k := range len(s) {
		if !isHex(s[k]) {
			return false
		}
	}
	return true
}

// base58check reports whether w is 25 bytes in base 58 whose last four begin the
// doubled SHA-256 of the others.
func base58check(w string) bool {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	var raw [25]byte
	for k := range len(w) {
		carry := strings.IndexByte(alphabet, w[k])
		if carry < 0 {
			return false
		}
		for b := len(raw) - 1; b >= 0; b-- {
			carry += 58 * int(raw[b])
			raw[b] = byte(carry)
			carry >>= 8
		}
		if carry != 0 {
			return false
		}
	}
	once := sha256.Sum256(raw[:21])
	twice := sha256.Sum256(once[:])
	return bytes.Equal(twice[:4], raw[21:])
}

// bech32 reports whether the checksum of BIP 173 or BIP 350 is right.
func bech32(w string) bool {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	one := strings.LastIndexByte(w, '1')
	if one < 1 || len(w)-one < 7 {
		return false
	}
	sum := uint32(1)
	for k := range one {
		sum = polymod(sum, uint32(w[k]>>5))
	}
	sum = polymod(sum, 0)
	for k := range one {
		sum = polymod(sum, uint32(w[k]&31))
	}
	for k := one + 1; k < len(w); k++ {
		v := strings.IndexByte(alphabet, w[k])
		if v < 0 {
			return false
		}
		sum = polymod(sum, uint32(v))
	}
	return sum == 1 || sum == 0x2bc830a3
}

// polymod takes one more value into the checksum of bech32.
func polymod(sum, v uint32) uint32 {
	top := sum >> 25
	sum = (sum&0x1ffffff)<<5 ^ v
	for k, g := range [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
		if top>>k&1 == 1 {
			sum ^= g
		}
	}
	return sum
}
