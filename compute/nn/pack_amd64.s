#include "textflag.h"

// SPREADLOAD fetches what the functions below are given. R10 becomes eight
// rows of src: so far ahead they are asked for, because no prefetcher follows
// rows that are more than a page apart.
#define SPREADLOAD \
	MOVQ depth+0(FP), AX    \
	MOVQ panels+8(FP), CX   \
	MOVQ dst+16(FP), DX     \
	MOVQ src+24(FP), SI     \
	MOVQ step+32(FP), R8    \
	MOVQ stride+40(FP), R9  \
	SHLQ $2, R8             \
	SHLQ $2, R9             \
	LEAQ (R9*8), R10

// func spread6(depth, panels int, dst, src *float32, step, stride int)
TEXT ·spread6(SB), NOSPLIT, $0-48
	SPREADLOAD

six:
	MOVQ DX, DI
	MOVQ SI, R11
	MOVQ CX, BX

sixPanel:
	VMOVUPS (R11), X0
	VMOVSD 16(R11), X1
	VMOVUPS X0, (DI)
	VMOVSD X1, 16(DI)
	PREFETCHT0 (R11)(R10*1)
	ADDQ $24, R11
	ADDQ R8, DI
	DECQ BX
	JNZ  sixPanel
	ADDQ $24, DX
	ADDQ R9, SI
	DECQ AX
	JNZ  six
	RET

// func spread16(depth, panels int, dst, src *float32, step, stride int)
TEXT ·spread16(SB), NOSPLIT, $0-48
	SPREADLOAD

sixteen:
	MOVQ DX, DI
	MOVQ SI, R11
	MOVQ CX, BX

sixteenPanel:
	VMOVUPS (R11), Y0
	VMOVUPS 32(R11), Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	PREFETCHT0 (R11)(R10*1)
	ADDQ $64, R11
	ADDQ R8, DI
	DECQ BX
	JNZ  sixteenPanel
	ADDQ $64, DX
	ADDQ R9, SI
	DECQ AX
	JNZ  sixteen
	VZEROUPPER
	RET

// func spread12(depth, panels int, dst, src *float32, step, stride int)
TEXT ·spread12(SB), NOSPLIT, $0-48
	SPREADLOAD

twelve:
	MOVQ DX, DI
	MOVQ SI, R11
	MOVQ CX, BX

twelvePanel:
	VMOVUPS (R11), Y0
	VMOVUPS 32(R11), X1
	VMOVUPS Y0, (DI)
	VMOVUPS X1, 32(DI)
	PREFETCHT0 (R11)(R10*1)
	ADDQ $48, R11
	ADDQ R8, DI
	DECQ BX
	JNZ  twelvePanel
	ADDQ $48, DX
	ADDQ R9, SI
	DECQ AX
	JNZ  twelve
	VZEROUPPER
	RET

// func spread32(depth, panels int, dst, src *float32, step, stride int)
TEXT ·spread32(SB), NOSPLIT, $0-48
	SPREADLOAD

thirtytwo:
	MOVQ DX, DI
	MOVQ SI, R11
	MOVQ CX, BX

thirtytwoPanel:
	VMOVUPS (R11), Z0
	VMOVUPS 64(R11), Z1
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	PREFETCHT0 (R11)(R10*1)
	PREFETCHT0 64(R11)(R10*1)
	ADDQ $128, R11
	ADDQ R8, DI
	DECQ BX
	JNZ  thirtytwoPanel
	ADDQ $128, DX
	ADDQ R9, SI
	DECQ AX
	JNZ  thirtytwo
	VZEROUPPER
	RET

// func weave4(n int, dst, src *float32, width, step int)
//
// Four lanes, eight numbers of each at a time: transposed 4×4 in each half of
// the registers.
TEXT ·weave4(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	MOVQ width+24(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9 // three rows of dst
	MOVQ step+32(FP), DX
	SHLQ $2, DX
	LEAQ (DX)(DX*2), BX // three lanes of src

weave4:
	VMOVUPS      (SI), Y0
	VMOVUPS      (SI)(DX*1), Y1
	VMOVUPS      (SI)(DX*2), Y2
	VMOVUPS      (SI)(BX*1), Y3
	VUNPCKLPS    Y1, Y0, Y4
	VUNPCKHPS    Y1, Y0, Y5
	VUNPCKLPS    Y3, Y2, Y6
	VUNPCKHPS    Y3, Y2, Y7
	VUNPCKLPD    Y6, Y4, Y0
	VUNPCKHPD    Y6, Y4, Y1
	VUNPCKLPD    Y7, Y5, Y2
	VUNPCKHPD    Y7, Y5, Y3
	VMOVUPS      X0, (DI)
	VMOVUPS      X1, (DI)(R8*1)
	VMOVUPS      X2, (DI)(R8*2)
	VMOVUPS      X3, (DI)(R9*1)
	LEAQ         (DI)(R8*4), DI
	VEXTRACTF128 $1, Y0, (DI)
	VEXTRACTF128 $1, Y1, (DI)(R8*1)
	VEXTRACTF128 $1, Y2, (DI)(R8*2)
	VEXTRACTF128 $1, Y3, (DI)(R9*1)
	LEAQ         (DI)(R8*4), DI
	ADDQ         $32, SI
	SUBQ         $8, CX
	JNZ          weave4
	VZEROUPPER
	RET

// func weave2(n int, dst, src *float32, width, step int)
TEXT ·weave2(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	MOVQ width+24(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	MOVQ step+32(FP), DX
	SHLQ $2, DX

weave2:
	VMOVUPS      (SI), Y0
	VMOVUPS      (SI)(DX*1), Y1
	VUNPCKLPS    Y1, Y0, Y2
	VUNPCKHPS    Y1, Y0, Y3
	VMOVLPS      X2, (DI)
	VMOVHPS      X2, (DI)(R8*1)
	VMOVLPS      X3, (DI)(R8*2)
	VMOVHPS      X3, (DI)(R9*1)
	LEAQ         (DI)(R8*4), DI
	VEXTRACTF128 $1, Y2, X2
	VEXTRACTF128 $1, Y3, X3
	VMOVLPS      X2, (DI)
	VMOVHPS      X2, (DI)(R8*1)
	VMOVLPS      X3, (DI)(R8*2)
	VMOVHPS      X3, (DI)(R9*1)
	LEAQ         (DI)(R8*4), DI
	ADDQ         $32, SI
	SUBQ         $8, CX
	JNZ          weave2
	VZEROUPPER
	RET
