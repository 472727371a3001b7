#include "textflag.h"

// Operands are in Go's order: sources first, the destination last.

// Eight numbers from tails on, less 4·r bytes from its middle, are a mask of r.
DATA tails<>+0(SB)/8, $0xffffffffffffffff
DATA tails<>+8(SB)/8, $0xffffffffffffffff
DATA tails<>+16(SB)/8, $0xffffffffffffffff
DATA tails<>+24(SB)/8, $0xffffffffffffffff
DATA tails<>+32(SB)/8, $0
DATA tails<>+40(SB)/8, $0
DATA tails<>+48(SB)/8, $0
DATA tails<>+56(SB)/8, $0
GLOBL tails<>(SB), RODATA|NOPTR, $64

// KEEP sets to zero the sums whose number in where is not positive. Predicate 1
// is "less than, false for NaN": 0 < where.
#define KEEP(offset, sum) \
	VCMPPS $1, offset(R13), Y8, Y9  \
	VANDPS Y9, sum, sum

// func blend8(n, k int, dst, a, b *float32, step, stride int, where *float32, more bool)
//
// Sixty-four sums at a time, in Y0 to Y7, hide the latency of an addition. For
// what is left of n, some of the last sixty-four are computed again; where that
// would add to them twice, or there are fewer, it is done by eights, the last of
// them under the mask Y10.
TEXT ·blend8(SB), NOSPLIT, $0-65
	MOVQ    n+0(FP), CX
	MOVQ    k+8(FP), R8
	MOVQ    dst+16(FP), DI
	MOVQ    a+24(FP), SI
	MOVQ    b+32(FP), DX
	MOVQ    step+40(FP), R9
	MOVQ    stride+48(FP), R10
	MOVQ    where+56(FP), R13
	MOVBLZX more+64(FP), R11
	SHLQ    $2, R9
	SHLQ    $2, R10

blendBlock:
	CMPQ   CX, $64
	JLT    blendRest
	PREFETCHT0 1024(DI)
	PREFETCHT0 1088(DI)
	PREFETCHT0 1152(DI)
	PREFETCHT0 1216(DI)
	TESTQ  R13, R13
	JZ     blendClear
	PREFETCHT0 1024(R13)
	PREFETCHT0 1088(R13)
	PREFETCHT0 1152(R13)
	PREFETCHT0 1216(R13)

blendClear:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   SI, AX
	MOVQ   DX, BX
	MOVQ   R8, R12
	TESTL  R11, R11
	JZ     blendStep
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7

blendStep:
	VBROADCASTSS (AX), Y8
	VFMADD231PS  (BX), Y8, Y0
	VFMADD231PS  32(BX), Y8, Y1
	VFMADD231PS  64(BX), Y8, Y2
	VFMADD231PS  96(BX), Y8, Y3
	VFMADD231PS  128(BX), Y8, Y4
	VFMADD231PS  160(BX), Y8, Y5
	VFMADD231PS  192(BX), Y8, Y6
	VFMADD231PS  224(BX), Y8, Y7
	ADDQ         R9, AX
	ADDQ         R10, BX
	DECQ         R12
	JNZ          blendStep
	TESTQ        R13, R13
	JZ           blendStore
	VXORPS       Y8, Y8, Y8
	KEEP(0, Y0)
	KEEP(32, Y1)
	KEEP(64, Y2)
	KEEP(96, Y3)
	KEEP(128, Y4)
	KEEP(160, Y5)
	KEEP(192, Y6)
	KEEP(224, Y7)
	ADDQ         $256, R13

blendStore:
	VMOVUPS      Y0, (DI)
	VMOVUPS      Y1, 32(DI)
	VMOVUPS      Y2, 64(DI)
	VMOVUPS      Y3, 96(DI)
	VMOVUPS      Y4, 128(DI)
	VMOVUPS      Y5, 160(DI)
	VMOVUPS      Y6, 192(DI)
	VMOVUPS      Y7, 224(DI)
	ADDQ         $256, DI
	ADDQ         $256, DX
	SUBQ         $64, CX
	JMP          blendBlock

blendRest:
	TESTQ CX, CX
	JLE   blendEnd
	TESTL R11, R11
	JNZ   blendEight
	CMPQ  n+0(FP), $64
	JLT   blendEight
	SUBQ  $64, CX // go back by what is missing to another sixty-four
	LEAQ  (DI)(CX*4), DI
	LEAQ  (DX)(CX*4), DX
	TESTQ R13, R13
	JZ    blendAgain
	LEAQ  (R13)(CX*4), R13

blendAgain:
	MOVQ $64, CX
	JMP  blendBlock

blendEight:
	MOVQ  $8, BX
	CMPQ  CX, BX
	CMOVQLT CX, BX
	NEGQ  BX
	LEAQ  tails<>+32(SB), AX
	VMOVUPS (AX)(BX*4), Y10
	VXORPS Y0, Y0, Y0
	MOVQ   SI, AX
	MOVQ   DX, BX
	MOVQ   R8, R12
	TESTL  R11, R11
	JZ     blendNarrow
	VMASKMOVPS (DI), Y10, Y0

blendNarrow:
	VBROADCASTSS (AX), Y8
	VMASKMOVPS   (BX), Y10, Y1
	VFMADD231PS  Y1, Y8, Y0
	ADDQ         R9, AX
	ADDQ         R10, BX
	DECQ         R12
	JNZ          blendNarrow
	TESTQ        R13, R13
	JZ           blendNarrowStore
	VXORPS       Y8, Y8, Y8
	VMASKMOVPS   (R13), Y10, Y9
	VCMPPS       $1, Y9, Y8, Y9
	VANDPS       Y9, Y0, Y0
	ADDQ         $32, R13

blendNarrowStore:
	VMASKMOVPS   Y0, Y10, (DI)
	ADDQ         $32, DI
	ADDQ         $32, DX
	SUBQ         $8, CX
	TESTQ        CX, CX
	JG           blendEight

blendEnd:
	VZEROUPPER
	RET

// FOUR fetches four numbers of each of eight rows and turns them: the first
// numbers to a, the second to b and so on. lo and hi are the first and the fifth
// row.
#define FOUR(lo, hi, a, xa, b, xb, c, xc, d, xd, t, u, v, w) \
	VMOVUPS     (lo), xa                    \
	VMOVUPS     (lo)(R8*1), xb              \
	VMOVUPS     (lo)(R8*2), xc              \
	VMOVUPS     (lo)(R9*1), xd              \
	VINSERTF128 $1, (hi), a, a              \
	VINSERTF128 $1, (hi)(R8*1), b, b        \
	VINSERTF128 $1, (hi)(R8*2), c, c        \
	VINSERTF128 $1, (hi)(R9*1), d, d        \
	VUNPCKLPS   b, a, t                     \
	VUNPCKHPS   b, a, u                     \
	VUNPCKLPS   d, c, v                     \
	VUNPCKHPS   d, c, w                     \
	VUNPCKLPD   v, t, a                     \
	VUNPCKHPD   v, t, b                     \
	VUNPCKLPD   w, u, c                     \
	VUNPCKHPD   w, u, d                     \
	ADDQ        $16, lo                     \
	ADDQ        $16, hi

// PAIR adds one number of each row, in lo and hi, times the numbers at p and q.
#define PAIR(p, q, lo, hi) \
	VBROADCASTSS p, Y12     \
	VBROADCASTSS q, Y13     \
	VFMADD231PS  lo, Y12, Y0  \
	VFMADD231PS  lo, Y13, Y1  \
	VFMADD231PS  hi, Y12, Y2  \
	VFMADD231PS  hi, Y13, Y3

// func pair16(k int, dst, a, p, q *float32, gap, stride, step int)
//
// Y0 and Y2 are the sums with p, Y1 and Y3 those with q.
TEXT ·pair16(SB), NOSPLIT, $0-64
	MOVQ   k+0(FP), CX
	MOVQ   a+16(FP), SI
	MOVQ   p+24(FP), AX
	MOVQ   q+32(FP), BX
	MOVQ   stride+48(FP), R8
	MOVQ   step+56(FP), DX
	SHLQ   $2, R8
	SHLQ   $2, DX
	LEAQ   (R8)(R8*2), R9
	LEAQ   (DX)(DX*2), R13
	LEAQ   (SI)(R8*4), R10
	LEAQ   (SI)(R8*8), R11
	LEAQ   (R10)(R8*8), R12
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

pair:
	FOUR(SI, R10, Y4, X4, Y5, X5, Y6, X6, Y7, X7, Y12, Y13, Y14, Y15)
	FOUR(R11, R12, Y8, X8, Y9, X9, Y10, X10, Y11, X11, Y12, Y13, Y14, Y15)
	PAIR((AX), (BX), Y4, Y8)
	PAIR((AX)(DX*1), (BX)(DX*1), Y5, Y9)
	PAIR((AX)(DX*2), (BX)(DX*2), Y6, Y10)
	PAIR((AX)(R13*1), (BX)(R13*1), Y7, Y11)
	LEAQ    (AX)(DX*4), AX
	LEAQ    (BX)(DX*4), BX
	SUBQ    $4, CX
	JNZ     pair
	MOVQ    dst+8(FP), DI
	MOVQ    gap+40(FP), SI
	VMOVUPS Y0, (DI)
	VMOVUPS Y2, 32(DI)
	VMOVUPS Y1, (DI)(SI*4)
	VMOVUPS Y3, 32(DI)(SI*4)
	VZEROUPPER
	RET
