package vector

import "sotto/compute/nn"

// All returns the loops that this machine can run, by name.
func All() map[string]*Loops {
	all := map[string]*Loops{"portable": &portable}
	switch nn.NewPool(1).Kernel() {
	case "avx512":
		all["avx512"] = assembly["avx512"]
		fallthrough
	case "avx2":
		all["avx2"] = assembly["avx2"]
	}
	return all
}
