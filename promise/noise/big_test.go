package noise_test

import (
	"math/big"
	"testing"
)

// precision of the tests' own arithmetic, in bits. Errors of a few hundred
// operations stay below 2⁻³⁰⁰ times the largest number in them.
const precision = 320

func bigFloat() *big.Float { return new(big.Float).SetPrec(precision) }

func bigInt(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

// power returns 2^e for any e.
func power(e int) *big.Rat {
	one := big.NewInt(1)
	if e < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-e)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(e)))
}

// atanh sums y + y³/3 + y⁵/5 + …, for |y| ≤ ⅓.
func atanh(y *big.Float) *big.Float {
	sum, term, square := bigFloat(), bigFloat().Set(y), bigFloat().Mul(y, y)
	for i := int64(1); term.Sign() != 0 && term.MantExp(nil) > -precision; i += 2 {
		sum.Add(sum, bigFloat().Quo(term, bigFloat().SetInt64(i)))
		term.Mul(term, square)
	}
	return sum
}

// ln2 is 2·atanh ⅓.
var ln2 = func() *big.Float {
	third := bigFloat().Quo(bigFloat().SetInt64(1), bigFloat().SetInt64(3))
	return bigFloat().Mul(bigFloat().SetInt64(2), atanh(third))
}()

// ln returns the logarithm of a positive r = m·2^e as e·ln 2 + 2·atanh((m−1)/(m+1)).
func ln(r *big.Rat) *big.Float {
	m := bigFloat()
	e := bigFloat().SetRat(r).MantExp(m)
	one := bigFloat().SetInt64(1)
	y := bigFloat().Quo(bigFloat().Sub(m, one), bigFloat().Add(m, one))
	sum := bigFloat().Mul(bigFloat().SetInt64(2), atanh(y))
	return sum.Add(sum, bigFloat().Mul(ln2, bigFloat().SetInt64(int64(e))))
}

// exponential sums 1 + x + x²/2! + …, for |x| ≤ 1.
func exponential(x *big.Float) *big.Float {
	sum, term := bigFloat().SetInt64(1), bigFloat().SetInt64(1)
	for i := int64(1); term.Sign() != 0 && term.MantExp(nil) > -precision; i++ {
		term.Quo(term.Mul(term, x), bigFloat().SetInt64(i))
		sum.Add(sum, term)
	}
	return sum
}

// arctanInverse sums 1/n − 1/3n³ + 1/5n⁵ and so on.
func arctanInverse(n int64) *big.Float {
	sum, square := bigFloat(), bigFloat().SetInt64(-n*n)
	term := bigFloat().Quo(bigFloat().SetInt64(1), bigFloat().SetInt64(n))
	for i := int64(1); term.MantExp(nil) > -precision; i += 2 {
		sum.Add(sum, bigFloat().Quo(term, bigFloat().SetInt64(i)))
		term.Quo(term, square)
	}
	return sum
}

// pi is Machin's 16·arctan ⅕ − 4·arctan 1/239.
var pi = func() *big.Float {
	a := bigFloat().Mul(bigFloat().SetInt64(16), arctanInverse(5))
	return a.Sub(a, bigFloat().Mul(bigFloat().SetInt64(4), arctanInverse(239)))
}()

// relative returns |got − want|/|want|.
func relative(got float64, want *big.Float) float64 {
	d := bigFloat().Sub(bigFloat().SetFloat64(got), want)
	r, _ := d.Quo(d, want).Float64()
	return max(r, -r)
}

// TestBig checks the tests' own functions against published digits.
func TestBig(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  *big.Float
		want string
	}{
		{"ln 2", ln2, "0.693147180559945309417232121458176568075500134360255254120680"},
		{"ln 10", ln(big.NewRat(10, 1)), "2.302585092994045684017991454684364207601101488628772976033328"},
		{"ln 1/10", ln(big.NewRat(1, 10)), "-2.302585092994045684017991454684364207601101488628772976033328"},
		{"e", exponential(bigFloat().SetInt64(1)), "2.718281828459045235360287471352662497757247093699959574966968"},
		{"π", pi, "3.141592653589793238462643383279502884197169399375105820974945"},
	} {
		if got := tt.got.Text('f', 60); got != tt.want {
			t.Errorf("%s = %s, want %s", tt.name, got, tt.want)
		}
	}
}
