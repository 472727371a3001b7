#include "textflag.h"

// Operands are in Go's order: sources first, the destination last.

// ROW adds a[i]·b to row i of the tile: a broadcast of a[i], from DI, times
// the sixteen numbers of b in Y0 and Y1.
#define ROW(offset, broadcast, lo, hi) \
	VBROADCASTSS offset(DI), broadcast  \
	VFMADD231PS  Y0, broadcast, lo      \
	VFMADD231PS  Y1, broadcast, hi

// STEP is one step along the inner dimension: six numbers of a, sixteen of b.
#define STEP(a, b) \
	VMOVUPS b(SI), Y0        \
	VMOVUPS b+32(SI), Y1   \
	ROW(a, Y2, Y4, Y5)       \
	ROW(a+4, Y3, Y6, Y7)     \
	ROW(a+8, Y2, Y8, Y9)     \
	ROW(a+12, Y3, Y10, Y11)  \
	ROW(a+16, Y2, Y12, Y13)  \
	ROW(a+20, Y3, Y14, Y15)

// STORE writes a row of the tile to c and moves on to the next.
#define STORE(lo, hi) \
	VMOVUPS lo, (DX)    \
	VMOVUPS hi, 32(DX)  \
	ADDQ    R8, DX

// ADD adds a row of the tile to c and moves on to the next.
#define ADD(lo, hi) \
	VADDPS (DX), lo, lo    \
	VADDPS 32(DX), hi, hi  \
	STORE(lo, hi)

// func tile6x16(k int, a, b, c *float32, stride int, add bool)
//
// Y4 to Y15 hold the tile, two registers a row.
TEXT ·tile6x16(SB), NOSPLIT, $0-41
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	MOVQ stride+32(FP), R8
	SHLQ $2, R8

	// The rows of c are wanted at the end: ask for them now.
	MOVQ DX, R9
	PREFETCHT0 (R9)
	PREFETCHT0 63(R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	PREFETCHT0 63(R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	PREFETCHT0 63(R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	PREFETCHT0 63(R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	PREFETCHT0 63(R9)
	ADDQ R8, R9
	PREFETCHT0 (R9)
	PREFETCHT0 63(R9)

	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11
	VXORPS Y12, Y12, Y12
	VXORPS Y13, Y13, Y13
	VXORPS Y14, Y14, Y14
	VXORPS Y15, Y15, Y15

	MOVQ CX, BX
	SHRQ $2, BX
	JZ   tail

four:
	STEP(0, 0)
	STEP(24, 64)
	STEP(48, 128)
	STEP(72, 192)
	ADDQ $96, DI
	ADDQ $256, SI
	DECQ BX
	JNZ  four

tail:
	ANDQ $3, CX
	JZ   done

one:
	STEP(0, 0)
	ADDQ $24, DI
	ADDQ $64, SI
	DECQ CX
	JNZ  one

done:
	MOVBLZX add+40(FP), AX
	TESTL   AX, AX
	JZ      store
	ADD(Y4, Y5)
	ADD(Y6, Y7)
	ADD(Y8, Y9)
	ADD(Y10, Y11)
	ADD(Y12, Y13)
	ADD(Y14, Y15)
	VZEROUPPER
	RET

store:
	STORE(Y4, Y5)
	STORE(Y6, Y7)
	STORE(Y8, Y9)
	STORE(Y10, Y11)
	STORE(Y12, Y13)
	STORE(Y14, Y15)
	VZEROUPPER
	RET

// WIDEROW is ROW with thirty-two numbers of b in Z0 and Z1.
#define WIDEROW(offset, broadcast, lo, hi) \
	VBROADCASTSS offset(DI), broadcast  \
	VFMADD231PS  Z0, broadcast, lo      \
	VFMADD231PS  Z1, broadcast, hi

// WIDESTEP is one step along the inner dimension: twelve numbers of a,
// thirty-two of b.
#define WIDESTEP(a, b) \
	VMOVUPS b(SI), Z0            \
	VMOVUPS b+64(SI), Z1         \
	WIDEROW(a, Z2, Z8, Z9)       \
	WIDEROW(a+4, Z3, Z10, Z11)   \
	WIDEROW(a+8, Z4, Z12, Z13)   \
	WIDEROW(a+12, Z5, Z14, Z15)  \
	WIDEROW(a+16, Z6, Z16, Z17)  \
	WIDEROW(a+20, Z7, Z18, Z19)  \
	WIDEROW(a+24, Z2, Z20, Z21)  \
	WIDEROW(a+28, Z3, Z22, Z23)  \
	WIDEROW(a+32, Z4, Z24, Z25)  \
	WIDEROW(a+36, Z5, Z26, Z27)  \
	WIDEROW(a+40, Z6, Z28, Z29)  \
	WIDEROW(a+44, Z7, Z30, Z31)

// HALFSTEP is WIDESTEP for the first sixteen numbers of b alone.
#define HALFSTEP \
	VMOVUPS (SI), Z0                   \
	VFMADD231PS.BCST (DI), Z0, Z8      \
	VFMADD231PS.BCST 4(DI), Z0, Z10    \
	VFMADD231PS.BCST 8(DI), Z0, Z12    \
	VFMADD231PS.BCST 12(DI), Z0, Z14   \
	VFMADD231PS.BCST 16(DI), Z0, Z16   \
	VFMADD231PS.BCST 20(DI), Z0, Z18   \
	VFMADD231PS.BCST 24(DI), Z0, Z20   \
	VFMADD231PS.BCST 28(DI), Z0, Z22   \
	VFMADD231PS.BCST 32(DI), Z0, Z24   \
	VFMADD231PS.BCST 36(DI), Z0, Z26   \
	VFMADD231PS.BCST 40(DI), Z0, Z28   \
	VFMADD231PS.BCST 44(DI), Z0, Z30

#define CLEAR2(lo, hi) \
	VPXORD lo, lo, lo  \
	VPXORD hi, hi, hi

#define WIDECLEAR \
	CLEAR2(Z8, Z9)    \
	CLEAR2(Z10, Z11)  \
	CLEAR2(Z12, Z13)  \
	CLEAR2(Z14, Z15)  \
	CLEAR2(Z16, Z17)  \
	CLEAR2(Z18, Z19)  \
	CLEAR2(Z20, Z21)  \
	CLEAR2(Z22, Z23)  \
	CLEAR2(Z24, Z25)  \
	CLEAR2(Z26, Z27)  \
	CLEAR2(Z28, Z29)  \
	CLEAR2(Z30, Z31)

#define WIDESTORE(lo, hi) \
	VMOVUPS lo, (DX)    \
	VMOVUPS hi, 64(DX)  \
	ADDQ    R8, DX

#define WIDEADD(lo, hi) \
	VADDPS (DX), lo, lo    \
	VADDPS 64(DX), hi, hi  \
	WIDESTORE(lo, hi)

#define ASK \
	PREFETCHT0 (R9)    \
	PREFETCHT0 64(R9)  \
	ADDQ R8, R9

// func tile12x32(k int, a, b, c *float32, stride int, add bool)
//
// Z8 to Z31 hold the tile, two registers a row.
TEXT ·tile12x32(SB), NOSPLIT, $0-41
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	MOVQ stride+32(FP), R8
	SHLQ $2, R8
	MOVQ DX, R9
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	ASK
	WIDECLEAR
	MOVQ CX, BX
	SHRQ $1, BX
	JZ   wideTail

wideTwo:
	WIDESTEP(0, 0)
	WIDESTEP(48, 128)
	ADDQ $96, DI
	ADDQ $256, SI
	DECQ BX
	JNZ  wideTwo

wideTail:
	ANDQ $1, CX
	JZ   wideDone
	WIDESTEP(0, 0)

wideDone:
	MOVBLZX add+40(FP), AX
	TESTL   AX, AX
	JZ      wideStore
	WIDEADD(Z8, Z9)
	WIDEADD(Z10, Z11)
	WIDEADD(Z12, Z13)
	WIDEADD(Z14, Z15)
	WIDEADD(Z16, Z17)
	WIDEADD(Z18, Z19)
	WIDEADD(Z20, Z21)
	WIDEADD(Z22, Z23)
	WIDEADD(Z24, Z25)
	WIDEADD(Z26, Z27)
	WIDEADD(Z28, Z29)
	WIDEADD(Z30, Z31)
	VZEROUPPER
	RET

wideStore:
	WIDESTORE(Z8, Z9)
	WIDESTORE(Z10, Z11)
	WIDESTORE(Z12, Z13)
	WIDESTORE(Z14, Z15)
	WIDESTORE(Z16, Z17)
	WIDESTORE(Z18, Z19)
	WIDESTORE(Z20, Z21)
	WIDESTORE(Z22, Z23)
	WIDESTORE(Z24, Z25)
	WIDESTORE(Z26, Z27)
	WIDESTORE(Z28, Z29)
	WIDESTORE(Z30, Z31)
	VZEROUPPER
	RET

// func half12x32(k int, a, b, c *float32)
//
// The first sixteen columns of a tile whose rows are thirty-two apart.
TEXT ·half12x32(SB), NOSPLIT, $0-32
	MOVQ k+0(FP), CX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	WIDECLEAR

half:
	HALFSTEP
	ADDQ $48, DI
	ADDQ $128, SI
	DECQ CX
	JNZ  half
	VMOVUPS Z8, (DX)
	VMOVUPS Z10, 128(DX)
	VMOVUPS Z12, 256(DX)
	VMOVUPS Z14, 384(DX)
	VMOVUPS Z16, 512(DX)
	VMOVUPS Z18, 640(DX)
	VMOVUPS Z20, 768(DX)
	VMOVUPS Z22, 896(DX)
	VMOVUPS Z24, 1024(DX)
	VMOVUPS Z26, 1152(DX)
	VMOVUPS Z28, 1280(DX)
	VMOVUPS Z30, 1408(DX)
	VZEROUPPER
	RET

// func spread6(panels int, dst, src *float32, step int)
TEXT ·spread6(SB), NOSPLIT, $0-32
	MOVQ panels+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	MOVQ step+24(FP), R8
	SHLQ $2, R8

six:
	VMOVUPS (SI), X0
	VMOVSD  16(SI), X1
	VMOVUPS X0, (DI)
	VMOVSD  X1, 16(DI)
	ADDQ    $24, SI
	ADDQ    R8, DI
	DECQ    CX
	JNZ     six
	RET

// func spread16(panels int, dst, src *float32, step int)
TEXT ·spread16(SB), NOSPLIT, $0-32
	MOVQ panels+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	MOVQ step+24(FP), R8
	SHLQ $2, R8

sixteen:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    R8, DI
	DECQ    CX
	JNZ     sixteen
	VZEROUPPER
	RET

// func spread12(panels int, dst, src *float32, step int)
TEXT ·spread12(SB), NOSPLIT, $0-32
	MOVQ panels+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	MOVQ step+24(FP), R8
	SHLQ $2, R8

twelve:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), X1
	VMOVUPS Y0, (DI)
	VMOVUPS X1, 32(DI)
	ADDQ    $48, SI
	ADDQ    R8, DI
	DECQ    CX
	JNZ     twelve
	VZEROUPPER
	RET

// func spread32(panels int, dst, src *float32, step int)
TEXT ·spread32(SB), NOSPLIT, $0-32
	MOVQ panels+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	MOVQ step+24(FP), R8
	SHLQ $2, R8

thirtytwo:
	VMOVUPS (SI), Z0
	VMOVUPS 64(SI), Z1
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	ADDQ    $128, SI
	ADDQ    R8, DI
	DECQ    CX
	JNZ     thirtytwo
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

// func axpy8(n int, dst, src *float32, alpha float32)
TEXT ·axpy8(SB), NOSPLIT, $0-28
	MOVQ         n+0(FP), CX
	MOVQ         dst+8(FP), DI
	MOVQ         src+16(FP), SI
	VBROADCASTSS alpha+24(FP), Y0
	XORQ         AX, AX

axpy:
	VMOVUPS     (DI)(AX*4), Y1
	VFMADD231PS (SI)(AX*4), Y0, Y1
	VMOVUPS     Y1, (DI)(AX*4)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         axpy
	VZEROUPPER
	RET

// func relu8(n int, dst, x *float32)
//
// VMAXPS returns x where one of the two is NaN or both are zeros, because x is
// its second operand in Intel's order.
TEXT ·relu8(SB), NOSPLIT, $0-24
	MOVQ   n+0(FP), CX
	MOVQ   dst+8(FP), DI
	MOVQ   x+16(FP), SI
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

relu:
	VMAXPS  (SI)(AX*4), Y0, Y1
	VMOVUPS Y1, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     relu
	VZEROUPPER
	RET

// func reluGrad8(n int, dst, grad, y *float32)
//
// Predicate 1 is "less than, false for NaN": 0 < y.
TEXT ·reluGrad8(SB), NOSPLIT, $0-32
	MOVQ   n+0(FP), CX
	MOVQ   dst+8(FP), DI
	MOVQ   grad+16(FP), SI
	MOVQ   y+24(FP), DX
	VXORPS Y0, Y0, Y0
	XORQ   AX, AX

reluGrad:
	VCMPPS  $1, (DX)(AX*4), Y0, Y1
	VANDPS  (SI)(AX*4), Y1, Y1
	VMOVUPS Y1, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JLT     reluGrad
	VZEROUPPER
	RET

// func adam8(n int, w, grad, m, v *float32, s *adamStep)
TEXT ·adam8(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	MOVQ         w+8(FP), DI
	MOVQ         grad+16(FP), SI
	MOVQ         m+24(FP), R8
	MOVQ         v+32(FP), R9
	MOVQ         s+40(FP), DX
	VBROADCASTSS 0(DX), Y7   // beta1
	VBROADCASTSS 4(DX), Y8   // rest1
	VBROADCASTSS 8(DX), Y9   // beta2
	VBROADCASTSS 12(DX), Y10 // rest2
	VBROADCASTSS 16(DX), Y11 // scale
	VBROADCASTSS 20(DX), Y12 // epsilon
	VBROADCASTSS 24(DX), Y13 // rate
	VBROADCASTSS 28(DX), Y14 // keep
	VBROADCASTSS 32(DX), Y15 // l2
	XORQ         AX, AX

adam:
	VMOVUPS     (DI)(AX*4), Y0     // w
	VMOVUPS     (SI)(AX*4), Y1     // g
	VFMADD231PS Y0, Y15, Y1        // g + l2·w
	VMULPS      (R8)(AX*4), Y7, Y2 // m
	VFMADD231PS Y1, Y8, Y2
	VMOVUPS     Y2, (R8)(AX*4)
	VMULPS      (R9)(AX*4), Y9, Y3 // v
	VMULPS      Y1, Y1, Y1
	VFMADD231PS Y1, Y10, Y3
	VMOVUPS     Y3, (R9)(AX*4)
	VSQRTPS     Y3, Y3
	VFMADD213PS Y12, Y11, Y3       // √v·scale + epsilon
	VMULPS      Y13, Y2, Y2
	VDIVPS      Y3, Y2, Y2         // rate·m / that
	VMULPS      Y14, Y0, Y0
	VSUBPS      Y2, Y0, Y0
	VMOVUPS     Y0, (DI)(AX*4)
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         adam
	VZEROUPPER
	RET

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET
