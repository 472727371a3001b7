package gateway_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	weakrand "math/rand/v2"
	"testing"
	"time"

	"sotto/service/gateway"
)

// TestWritten holds what is written by hand against encoding/json, byte for byte.
func TestWritten(t *testing.T) {
	g := newGateway(t, config(t))
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	number := func() float64 {
		return []float64{0, 8, 0.1, 1e-6, 9.99e-7, -1e-9, 1e-15, 1e20, 1e21, 1e300, 5e-324, rng.NormFloat64() * math.Exp(20*rng.NormFloat64())}[rng.IntN(12)]
	}
	for range 2000 {
		p := g.Promise()
		p.Cost, p.Spent, p.Left, p.SpentDelta, p.LeftDelta = number(), number(), number(), number(), number()
		p.Paid, p.Repeated = rng.IntN(300), rng.IntN(300)
		if rng.IntN(2) == 0 {
			at := time.Unix(rng.Int64N(4e9), rng.Int64N(3)*rng.Int64N(1e9)).In(time.FixedZone("x", 60*rng.IntN(800)))
			p.Renews = &at
		}
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.AppendPrivacy(nil, &p); string(got) != string(want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	for n := range 200 {
		v, raw := make([]float32, n), []byte(nil)
		for i := range v {
			v[i] = float32(number())
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v[i]))
		}
		if got, want := string(gateway.AppendVector(nil, v, true)), `"`+base64.StdEncoding.EncodeToString(raw)+`"`; got != want {
			t.Fatalf("%d numbers in base64: %s, want %s", n, got, want)
		}
	}
}
