package nn

// features asks the processor for AVX2 with FMA and for AVX-512, and the
// operating system for keeping their registers.
func features() (fma, wide bool) {
	const fmaBit, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // of leaf 1, register c
	const wanted = fmaBit | osxsave | avx
	const avx2Bit, avx512F = 1 << 5, 1 << 16 // of leaf 7, register b
	const xmmAndYMM, zmmToo = 6, 0xe6        // of the kept state
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return false, false
	}
	if _, _, c, _ := cpuid(1, 0); c&wanted != wanted {
		return false, false
	}
	_, b, _, _ := cpuid(7, 0)
	kept := xgetbv()
	fma = b&avx2Bit != 0 && kept&xmmAndYMM == xmmAndYMM
	return fma, fma && b&avx512F != 0 && kept&zmmToo == zmmToo
}

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() uint32
