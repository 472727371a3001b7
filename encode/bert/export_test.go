package bert

import "sotto/nn"

// Loops are the loops over vectors under names that tests can use.
type Loops struct {
	GELU  func(x, bias []float32)
	Exp   func(x []float32) float32
	Norm  func(x, bias, scale, shift []float32, epsilon float32)
	Add   func(dst, a, b []float32)
	Scale func(dst, x []float32, factor float32)
}

// Vectors returns the loops that this machine can run, by name.
func Vectors() map[string]Loops {
	all := map[string]Loops{"portable": loops(&vectorsGo)}
	switch nn.NewPool(1).Kernel() {
	case "avx512":
		all["avx512"] = loops(assembly["avx512"])
		fallthrough
	case "avx2":
		all["avx2"] = loops(assembly["avx2"])
	}
	return all
}

func loops(v *vectors) Loops { return Loops{v.gelu, v.exp, v.norm, v.add, v.scale} }
