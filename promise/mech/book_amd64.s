#include "textflag.h"

// Each lane of X0 to X7 is the sum of one codeword: products and sums are rounded
// one after the other, as in Go.

#define STEP(offset, sum, product) \
	MOVUPS offset(SI), product; \
	MULPS X8, product; \
	ADDPS product, sum

// func scoreBlock(dst *[32]float32, block, x []float32)
TEXT ·scoreBlock(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ block_base+8(FP), SI
	MOVQ x_base+32(FP), DX
	MOVQ x_len+40(FP), CX
	XORPS X0, X0
	XORPS X1, X1
	XORPS X2, X2
	XORPS X3, X3
	XORPS X4, X4
	XORPS X5, X5
	XORPS X6, X6
	XORPS X7, X7
loop:
	MOVSS (DX), X8
	SHUFPS $0, X8, X8
	STEP(0, X0, X9)
	STEP(16, X1, X10)
	STEP(32, X2, X11)
	STEP(48, X3, X12)
	STEP(64, X4, X9)
	STEP(80, X5, X10)
	STEP(96, X6, X11)
	STEP(112, X7, X12)
	ADDQ $128, SI
	ADDQ $4, DX
	DECQ CX
	JNZ loop
	MOVUPS X0, 0(DI)
	MOVUPS X1, 16(DI)
	MOVUPS X2, 32(DI)
	MOVUPS X3, 48(DI)
	MOVUPS X4, 64(DI)
	MOVUPS X5, 80(DI)
	MOVUPS X6, 96(DI)
	MOVUPS X7, 112(DI)
	RET
