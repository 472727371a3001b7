package mech_test

import (
	"math/big"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// precision is what exact losses are computed to, in bits.
const precision = 200

func float() *big.Float { return new(big.Float).SetPrec(precision) }

// integer returns the numerator of p over 2⁶⁴.
func integer(p noise.Prob) *big.Int { return new(big.Int).SetUint64(uint64(p)) }

// logRatio returns ln a/b.
//
// a/b = m·2^k with m in [½, 1), and ln m = 2·artanh((m−1)/(m+1)), whose series
// falls by 9 or more from one term to the next; ln 2 is −ln ½.
func logRatio(a, b *big.Int) *big.Float {
	m := float().Quo(float().SetInt(a), float().SetInt(b))
	k := m.MantExp(m)
	sum := logMantissa(m)
	ln2 := logMantissa(big.NewFloat(0.5))
	return sum.Sub(sum, ln2.Mul(ln2, float().SetInt64(int64(k))))
}

func logMantissa(m *big.Float) *big.Float {
	one := float().SetInt64(1)
	t := float().Quo(float().Sub(m, one), float().Add(m, one))
	square, power, sum := float().Mul(t, t), float().Add(t, t), float()
	for i := int64(1); i < precision; i += 2 {
		sum.Add(sum, float().Quo(power, float().SetInt64(i)))
		power.Mul(power, square)
	}
	return sum
}

// checkLoss compares a printed ε with the exact loss: not below it, and not
// above it by more than a relative error.
func checkLoss(tb testing.TB, call string, g dp.Guarantee, exact *big.Float, excess float64) {
	tb.Helper()
	printed := float().SetFloat64(float64(g.Epsilon))
	if printed.Cmp(exact) < 0 {
		tb.Errorf("%s: Guarantee() is %.3g below the exact loss, %.17g, must not be below it", call, float().Sub(exact, printed), exact)
	}
	most := float().Mul(exact, float().SetFloat64(1+excess))
	if printed.Cmp(most) > 0 {
		tb.Errorf("%s: Guarantee() = %.17g, want the exact loss, %.17g, up to %g of it", call, printed, exact, excess)
	}
}

func TestLogRatio(t *testing.T) {
	for _, tt := range []struct {
		a, b int64
		want string // ln a/b to 40 digits, from tables
	}{
		{2, 1, "0.6931471805599453094172321214581765680755"},
		{10, 1, "2.302585092994045684017991454684364207601"},
		{1, 3, "-1.098612288668109691395245236922525704647"},
		{7, 7, "0"},
	} {
		want, _, err := big.ParseFloat(tt.want, 10, precision, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		got := logRatio(big.NewInt(tt.a), big.NewInt(tt.b))
		if d := got.Sub(got, want); d.Sign() != 0 && d.MantExp(nil) > -125 {
			t.Errorf("logRatio(%d, %d) is off by %.3g, want 40 digits", tt.a, tt.b, d)
		}
	}
}
