#include "textflag.h"

// Operands are in Go's order: sources first, the destination last. DX points to
// the table of constants, of which each fills 64 bytes; the macros work on
// registers of either width.

// CDF sets p to 1/2 + c·P(c²)/Q(c²), where c is x cut off at the tails.
#define CDF(x, c, u, p, q) \
	VMINPS      (DX), x, c         \
	VMAXPS      64(DX), c, c       \
	VMULPS      c, c, u            \
	VMOVUPS     192(DX), p         \
	VMOVUPS     512(DX), q         \
	VFMADD213PS 256(DX), u, p      \
	VFMADD213PS 576(DX), u, q      \
	VFMADD213PS 320(DX), u, p      \
	VFMADD213PS 640(DX), u, q      \
	VFMADD213PS 384(DX), u, p      \
	VFMADD213PS 704(DX), u, q      \
	VFMADD213PS 448(DX), u, p      \
	VFMADD213PS 768(DX), u, q      \
	VMULPS      c, p, p            \
	VFMADD213PS 832(DX), u, q      \
	VDIVPS      q, p, p            \
	VADDPS      128(DX), p, p

// GELU sets x to x times that.
#define GELU(x, c, u, p, q) \
	CDF(x, c, u, p, q)         \
	VMULPS p, x, x

// EXP sets y to exp(x) for x not above 0, and uses up x.
#define EXP(x, n, y) \
	VMAXPS      896(DX), x, x      \
	VMOVUPS     960(DX), n         \
	VFMADD213PS 1024(DX), x, n     \
	VSUBPS      1024(DX), n, y     \
	VFMADD231PS 1088(DX), y, x     \
	VFMADD231PS 1152(DX), y, x     \
	VMOVUPS     1216(DX), y        \
	VFMADD213PS 1280(DX), x, y     \
	VFMADD213PS 1344(DX), x, y     \
	VFMADD213PS 1408(DX), x, y     \
	VFMADD213PS 1472(DX), x, y     \
	VFMADD213PS 1536(DX), x, y     \
	VFMADD213PS 1600(DX), x, y     \
	VPSLLD      $23, n, n          \
	VPADDD      n, y, y

// FOLD joins the eight lanes of Y0 in X0 by the given operation, by way of X1.
#define FOLD(operation) \
	VEXTRACTF128 $1, Y0, X1      \
	operation    X1, X0, X0      \
	VPERMILPS    $0x0e, X0, X1   \
	operation    X1, X0, X0      \
	VPERMILPS    $0x01, X0, X1   \
	operation    X1, X0, X0

// func geluAVX2(n int, x, bias *float32, c *[28][Lanes]float32)
TEXT ·geluAVX2(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), DI
	MOVQ bias+16(FP), SI
	MOVQ c+24(FP), DX
	XORQ AX, AX

gelu:
	VMOVUPS (DI)(AX*4), Y0
	VMOVUPS 32(DI)(AX*4), Y5
	VADDPS  (SI)(AX*4), Y0, Y0
	VADDPS  32(SI)(AX*4), Y5, Y5
	GELU(Y0, Y1, Y2, Y3, Y4)
	GELU(Y5, Y6, Y7, Y8, Y9)
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y5, 32(DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     gelu
	VZEROUPPER
	RET

// func geluAVX512(n int, x, bias *float32, c *[28][Lanes]float32)
TEXT ·geluAVX512(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ x+8(FP), DI
	MOVQ bias+16(FP), SI
	MOVQ c+24(FP), DX
	XORQ AX, AX

wideGelu:
	VMOVUPS (DI)(AX*4), Z0
	VADDPS  (SI)(AX*4), Z0, Z0
	GELU(Z0, Z1, Z2, Z3, Z4)
	VMOVUPS Z0, (DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     wideGelu
	VZEROUPPER
	RET

// func expAVX2(n int, x *float32, c *[28][Lanes]float32) float32
TEXT ·expAVX2(SB), NOSPLIT, $0-28
	MOVQ    n+0(FP), CX
	MOVQ    x+8(FP), DI
	MOVQ    c+16(FP), DX
	VMOVUPS (DI), Y0
	XORQ    AX, AX

top:
	VMAXPS (DI)(AX*4), Y0, Y0
	VMAXPS 32(DI)(AX*4), Y0, Y0
	ADDQ   $16, AX
	CMPQ   AX, CX
	JLT    top
	FOLD(VMAXPS)
	VBROADCASTSS X0, Y9
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1
	XORQ         AX, AX

exp:
	VMOVUPS (DI)(AX*4), Y2
	VMOVUPS 32(DI)(AX*4), Y5
	VSUBPS  Y9, Y2, Y2
	VSUBPS  Y9, Y5, Y5
	EXP(Y2, Y3, Y4)
	EXP(Y5, Y6, Y7)
	VMOVUPS Y4, (DI)(AX*4)
	VMOVUPS Y7, 32(DI)(AX*4)
	VADDPS  Y4, Y0, Y0
	VADDPS  Y7, Y1, Y1
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     exp
	VADDPS  Y1, Y0, Y0
	FOLD(VADDPS)
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// func expAVX512(n int, x *float32, c *[28][Lanes]float32) float32
TEXT ·expAVX512(SB), NOSPLIT, $0-28
	MOVQ    n+0(FP), CX
	MOVQ    x+8(FP), DI
	MOVQ    c+16(FP), DX
	VMOVUPS (DI), Z0
	XORQ    AX, AX

wideTop:
	VMAXPS (DI)(AX*4), Z0, Z0
	ADDQ   $16, AX
	CMPQ   AX, CX
	JLT    wideTop
	VEXTRACTF64X4 $1, Z0, Y1
	VMAXPS        Y1, Y0, Y0
	FOLD(VMAXPS)
	VBROADCASTSS X0, Z9
	VPXORD       Z0, Z0, Z0
	XORQ         AX, AX

wideExp:
	VMOVUPS (DI)(AX*4), Z2
	VSUBPS  Z9, Z2, Z2
	EXP(Z2, Z3, Z4)
	VMOVUPS Z4, (DI)(AX*4)
	VADDPS  Z4, Z0, Z0
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     wideExp
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS        Y1, Y0, Y0
	FOLD(VADDPS)
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET

// FACTOR turns the sum of squares in X0 into 1/√(variance + epsilon); X6 holds
// 1/n and X7 epsilon.
#define FACTOR \
	VFMADD213SS X7, X6, X0        \
	VSQRTSS     X0, X0, X0        \
	MOVL        $0x3f800000, R10  \
	VMOVD       R10, X1           \
	VDIVSS      X0, X1, X0

// func normAVX2(n int, x, bias, scale, shift *float32, inverse, epsilon float32)
TEXT ·normAVX2(SB), NOSPLIT, $0-48
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), DI
	MOVQ   bias+16(FP), SI
	MOVQ   scale+24(FP), R8
	MOVQ   shift+32(FP), R9
	VMOVSS inverse+40(FP), X6
	VMOVSS epsilon+44(FP), X7
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORQ   AX, AX

sum:
	VMOVUPS (DI)(AX*4), Y2
	VMOVUPS 32(DI)(AX*4), Y3
	VADDPS  (SI)(AX*4), Y2, Y2
	VADDPS  32(SI)(AX*4), Y3, Y3
	VMOVUPS Y2, (DI)(AX*4)
	VMOVUPS Y3, 32(DI)(AX*4)
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     sum
	VADDPS  Y1, Y0, Y0
	FOLD(VADDPS)
	VMULSS       X6, X0, X0
	VBROADCASTSS X0, Y8
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1
	XORQ         AX, AX

square:
	VMOVUPS     (DI)(AX*4), Y2
	VMOVUPS     32(DI)(AX*4), Y3
	VSUBPS      Y8, Y2, Y2
	VSUBPS      Y8, Y3, Y3
	VFMADD231PS Y2, Y2, Y0
	VFMADD231PS Y3, Y3, Y1
	ADDQ        $16, AX
	CMPQ        AX, CX
	JLT         square
	VADDPS      Y1, Y0, Y0
	FOLD(VADDPS)
	FACTOR
	VBROADCASTSS X0, Y9
	XORQ         AX, AX

norm:
	VMOVUPS     (DI)(AX*4), Y2
	VSUBPS      Y8, Y2, Y2
	VMULPS      Y9, Y2, Y2
	VMOVUPS     (R9)(AX*4), Y3
	VFMADD231PS (R8)(AX*4), Y2, Y3
	VMOVUPS     Y3, (DI)(AX*4)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         norm
	VZEROUPPER
	RET

// func normAVX512(n int, x, bias, scale, shift *float32, inverse, epsilon float32)
TEXT ·normAVX512(SB), NOSPLIT, $0-48
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), DI
	MOVQ   bias+16(FP), SI
	MOVQ   scale+24(FP), R8
	MOVQ   shift+32(FP), R9
	VMOVSS inverse+40(FP), X6
	VMOVSS epsilon+44(FP), X7
	VPXORD Z0, Z0, Z0
	XORQ   AX, AX

wideSum:
	VMOVUPS (DI)(AX*4), Z2
	VADDPS  (SI)(AX*4), Z2, Z2
	VMOVUPS Z2, (DI)(AX*4)
	VADDPS  Z2, Z0, Z0
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     wideSum
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS        Y1, Y0, Y0
	FOLD(VADDPS)
	VMULSS       X6, X0, X0
	VBROADCASTSS X0, Z8
	VPXORD       Z0, Z0, Z0
	XORQ         AX, AX

wideSquare:
	VMOVUPS     (DI)(AX*4), Z2
	VSUBPS      Z8, Z2, Z2
	VFMADD231PS Z2, Z2, Z0
	ADDQ        $16, AX
	CMPQ        AX, CX
	JLT         wideSquare
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS        Y1, Y0, Y0
	FOLD(VADDPS)
	FACTOR
	VBROADCASTSS X0, Z9
	XORQ         AX, AX

wideNorm:
	VMOVUPS     (DI)(AX*4), Z2
	VSUBPS      Z8, Z2, Z2
	VMULPS      Z9, Z2, Z2
	VMOVUPS     (R9)(AX*4), Z3
	VFMADD231PS (R8)(AX*4), Z2, Z3
	VMOVUPS     Z3, (DI)(AX*4)
	ADDQ        $16, AX
	CMPQ        AX, CX
	JLT         wideNorm
	VZEROUPPER
	RET

// func addAVX2(n int, dst, a, b *float32)
TEXT ·addAVX2(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DX
	XORQ AX, AX

add:
	VMOVUPS (SI)(AX*4), Y0
	VMOVUPS 32(SI)(AX*4), Y1
	VADDPS  (DX)(AX*4), Y0, Y0
	VADDPS  32(DX)(AX*4), Y1, Y1
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y1, 32(DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     add
	VZEROUPPER
	RET

// func scaleAVX2(n int, dst, x *float32, factor float32)
TEXT ·scaleAVX2(SB), NOSPLIT, $0-28
	MOVQ         n+0(FP), CX
	MOVQ         dst+8(FP), DI
	MOVQ         x+16(FP), SI
	VBROADCASTSS factor+24(FP), Y2
	XORQ         AX, AX

scale:
	VMULPS  (SI)(AX*4), Y2, Y0
	VMULPS  32(SI)(AX*4), Y2, Y1
	VMOVUPS Y0, (DI)(AX*4)
	VMOVUPS Y1, 32(DI)(AX*4)
	ADDQ    $16, AX
	CMPQ    AX, CX
	JLT     scale
	VZEROUPPER
	RET

// func geluGradAVX2(n int, dst, grad, x, bias *float32, c *[28][Lanes]float32)
TEXT ·geluGradAVX2(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ grad+16(FP), SI
	MOVQ x+24(FP), R8
	MOVQ bias+32(FP), R9
	MOVQ c+40(FP), DX
	XORQ AX, AX

geluGrad:
	VMOVUPS     (R8)(AX*4), Y0
	VADDPS      (R9)(AX*4), Y0, Y0
	CDF(Y0, Y1, Y2, Y3, Y4)
	VMULPS      Y0, Y0, Y5
	VMULPS      1664(DX), Y5, Y5     // −x²/2
	EXP(Y5, Y6, Y7)
	VMULPS      1728(DX), Y7, Y7     // φ(x)
	VFMADD231PS Y0, Y7, Y3
	VMULPS      (SI)(AX*4), Y3, Y3
	VMOVUPS     Y3, (DI)(AX*4)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         geluGrad
	VZEROUPPER
	RET

// func softmaxGradAVX2(n int, grad, p *float32, factor float32)
TEXT ·softmaxGradAVX2(SB), NOSPLIT, $0-28
	MOVQ         n+0(FP), CX
	MOVQ         grad+8(FP), DI
	MOVQ         p+16(FP), SI
	VBROADCASTSS factor+24(FP), Y9
	VXORPS       Y0, Y0, Y0
	VXORPS       Y2, Y2, Y2
	XORQ         AX, AX

along:
	VMOVUPS     (DI)(AX*4), Y3
	VMOVUPS     32(DI)(AX*4), Y4
	VFMADD231PS (SI)(AX*4), Y3, Y0
	VFMADD231PS 32(SI)(AX*4), Y4, Y2
	ADDQ        $16, AX
	CMPQ        AX, CX
	JLT         along
	VADDPS      Y2, Y0, Y0
	FOLD(VADDPS)
	VBROADCASTSS X0, Y8
	XORQ         AX, AX

softmaxGrad:
	VMOVUPS (DI)(AX*4), Y3
	VSUBPS  Y8, Y3, Y3
	VMULPS  (SI)(AX*4), Y3, Y3
	VMULPS  Y9, Y3, Y3
	VMOVUPS Y3, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     softmaxGrad
	VZEROUPPER
	RET

// func normGradAVX2(n int, dst, grad, x, scale, dScale, dShift *float32, inverse, epsilon float32)
TEXT ·normGradAVX2(SB), NOSPLIT, $0-64
	MOVQ   n+0(FP), CX
	MOVQ   dst+8(FP), DI
	MOVQ   grad+16(FP), SI
	MOVQ   x+24(FP), DX
	MOVQ   scale+32(FP), R8
	MOVQ   dScale+40(FP), R9
	MOVQ   dShift+48(FP), R11
	VMOVSS inverse+56(FP), X6
	VMOVSS epsilon+60(FP), X7
	VXORPS Y0, Y0, Y0
	VXORPS Y2, Y2, Y2
	XORQ   AX, AX

gradSum:
	VADDPS (DX)(AX*4), Y0, Y0
	VADDPS 32(DX)(AX*4), Y2, Y2
	ADDQ   $16, AX
	CMPQ   AX, CX
	JLT    gradSum
	VADDPS Y2, Y0, Y0
	FOLD(VADDPS)
	VMULSS       X6, X0, X0
	VBROADCASTSS X0, Y8 // the mean
	VXORPS       Y0, Y0, Y0
	VXORPS       Y2, Y2, Y2
	XORQ         AX, AX

gradSquare:
	VMOVUPS     (DX)(AX*4), Y3
	VMOVUPS     32(DX)(AX*4), Y4
	VSUBPS      Y8, Y3, Y3
	VSUBPS      Y8, Y4, Y4
	VFMADD231PS Y3, Y3, Y0
	VFMADD231PS Y4, Y4, Y2
	ADDQ        $16, AX
	CMPQ        AX, CX
	JLT         gradSquare
	VADDPS      Y2, Y0, Y0
	FOLD(VADDPS)
	FACTOR
	VBROADCASTSS X0, Y9 // one over the deviation
	VXORPS       Y10, Y10, Y10
	VXORPS       Y11, Y11, Y11
	XORQ         AX, AX

gradAlong:
	VMOVUPS     (DX)(AX*4), Y3
	VSUBPS      Y8, Y3, Y3
	VMULPS      Y9, Y3, Y3             // y
	VMOVUPS     (SI)(AX*4), Y4         // grad
	VMOVUPS     (R9)(AX*4), Y5
	VFMADD231PS Y3, Y4, Y5
	VMOVUPS     Y5, (R9)(AX*4)
	VADDPS      (R11)(AX*4), Y4, Y5
	VMOVUPS     Y5, (R11)(AX*4)
	VMULPS      (R8)(AX*4), Y4, Y4     // h
	VADDPS      Y4, Y10, Y10
	VFMADD231PS Y3, Y4, Y11
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         gradAlong
	VMOVAPS     Y10, Y0
	FOLD(VADDPS)
	VMULSS       X6, X0, X0
	VBROADCASTSS X0, Y10
	VMOVAPS      Y11, Y0
	FOLD(VADDPS)
	VMULSS       X6, X0, X0
	VBROADCASTSS X0, Y11
	XORQ         AX, AX

gradNorm:
	VMOVUPS      (DX)(AX*4), Y3
	VSUBPS       Y8, Y3, Y3
	VMULPS       Y9, Y3, Y3
	VMOVUPS      (SI)(AX*4), Y4
	VMULPS       (R8)(AX*4), Y4, Y4
	VSUBPS       Y10, Y4, Y4
	VFNMADD231PS Y3, Y11, Y4
	VMULPS       Y9, Y4, Y4
	VMOVUPS      Y4, (DI)(AX*4)
	ADDQ         $8, AX
	CMPQ         AX, CX
	JLT          gradNorm
	VZEROUPPER
	RET

// Places of the lanes of a register.
DATA places<>+0(SB)/4, $0
DATA places<>+4(SB)/4, $1
DATA places<>+8(SB)/4, $2
DATA places<>+12(SB)/4, $3
DATA places<>+16(SB)/4, $4
DATA places<>+20(SB)/4, $5
DATA places<>+24(SB)/4, $6
DATA places<>+28(SB)/4, $7
GLOBL places<>(SB), RODATA|NOPTR, $32

// BROADCAST fills y with a number of 32 bits.
#define BROADCAST(number, x, y) \
	MOVL         number, R10 \
	VMOVD        R10, x      \
	VPBROADCASTD x, y

// func dropAVX2(n int, dst, x *float32, low, high, threshold uint32, scale float32)
TEXT ·dropAVX2(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), CX
	MOVQ         dst+8(FP), DI
	MOVQ         x+16(FP), SI
	VBROADCASTSS low+24(FP), Y8
	VBROADCASTSS high+28(FP), Y9
	VBROADCASTSS threshold+32(FP), Y10
	VBROADCASTSS scale+36(FP), Y11
	BROADCAST($0x7feb352d, X12, Y12)
	BROADCAST($0x846ca68b, X13, Y13)
	BROADCAST($8, X14, Y14)
	VMOVDQU      places<>(SB), Y15
	XORQ         AX, AX

drop:
	VPXOR    Y8, Y15, Y0
	VPSRLD   $16, Y0, Y1
	VPXOR    Y1, Y0, Y0
	VPMULLD  Y12, Y0, Y0
	VPSRLD   $15, Y0, Y1
	VPXOR    Y1, Y0, Y0
	VPADDD   Y9, Y0, Y0
	VPMULLD  Y13, Y0, Y0
	VPSRLD   $16, Y0, Y1
	VPXOR    Y1, Y0, Y0
	VPMAXUD  Y10, Y0, Y1
	VPCMPEQD Y1, Y0, Y1            // all ones where the hash is not below the threshold
	VMULPS   (SI)(AX*4), Y11, Y0
	VANDPS   Y1, Y0, Y0
	VMOVUPS  Y0, (DI)(AX*4)
	VPADDD   Y14, Y15, Y15
	ADDQ     $8, AX
	CMPQ     AX, CX
	JLT      drop
	VZEROUPPER
	RET
