#include "textflag.h"

// Nothing here is fused: the bits are those of exp, Sigmoid and Tanh in Go. DX points to the
// table of constants, Y15 holds expLow, Y14 the sign bit alone and Y13 ones.

// EXACT sets y to exp(x) for x not above 0, and uses up x. A NaN stays one.
#define EXACT(x, n, y, t) \
	VMAXPS  x, Y15, x          \
	VMULPS  960(DX), x, n      \
	VADDPS  1024(DX), n, n     \
	VSUBPS  1024(DX), n, y     \
	VMULPS  1088(DX), y, t     \
	VADDPS  t, x, x            \
	VMULPS  1152(DX), y, t     \
	VADDPS  t, x, x            \
	VMOVUPS 1216(DX), y        \
	VMULPS  x, y, y            \
	VADDPS  1280(DX), y, y     \
	VMULPS  x, y, y            \
	VADDPS  1344(DX), y, y     \
	VMULPS  x, y, y            \
	VADDPS  1408(DX), y, y     \
	VMULPS  x, y, y            \
	VADDPS  1472(DX), y, y     \
	VMULPS  x, y, y            \
	VADDPS  1536(DX), y, y     \
	VMULPS  x, y, y            \
	VADDPS  1600(DX), y, y     \
	VPSLLD  $23, n, n          \
	VPADDD  n, y, y

// START loads what both functions need.
#define START \
	MOVQ    n+0(FP), CX            \
	MOVQ    dst+8(FP), DI          \
	MOVQ    x+16(FP), SI           \
	MOVQ    c+24(FP), DX           \
	VMOVUPS 896(DX), Y15           \
	VMOVUPS 1600(DX), Y13          \
	VPCMPEQD Y14, Y14, Y14         \
	VPSLLD  $31, Y14, Y14          \
	XORQ    AX, AX

// func sigmoid8(n int, dst, x *float32, c *[28][Lanes]float32)
TEXT ·sigmoid8(SB), NOSPLIT, $0-32
	START

loop:
	VMOVUPS   (SI)(AX*4), Y0
	VORPS     Y14, Y0, Y1    // −|x|
	EXACT(Y1, Y2, Y3, Y4)
	VBLENDVPS Y0, Y3, Y13, Y5 // e where x is negative, otherwise 1
	VADDPS    Y13, Y3, Y3
	VDIVPS    Y3, Y5, Y5
	VMOVUPS   Y5, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET

// func tanh8(n int, dst, x *float32, c *[28][Lanes]float32)
TEXT ·tanh8(SB), NOSPLIT, $0-32
	START

loop:
	VMOVUPS   (SI)(AX*4), Y0
	VORPS     Y14, Y0, Y1
	VADDPS    Y1, Y1, Y1      // −2|x|
	EXACT(Y1, Y2, Y3, Y4)
	VSUBPS    Y3, Y13, Y5     // 1 − e
	VSUBPS    Y13, Y3, Y6     // e − 1
	VBLENDVPS Y0, Y6, Y5, Y5
	VADDPS    Y13, Y3, Y3
	VDIVPS    Y3, Y5, Y5
	VMOVUPS   Y5, (DI)(AX*4)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       loop
	VZEROUPPER
	RET
