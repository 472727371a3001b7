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

// func blend8(n, k int, dst, a, b *float32, step, stride int, more bool)
//
// Sixty-four sums at a time, in Y0 to Y7, hide the latency of an addition; what
// is left of n is done by eights, the last of them under the mask Y9.
TEXT ·blend8(SB), NOSPLIT, $0-57
	MOVQ    n+0(FP), CX
	MOVQ    k+8(FP), R8
	MOVQ    dst+16(FP), DI
	MOVQ    a+24(FP), SI
	MOVQ    b+32(FP), DX
	MOVQ    step+40(FP), R9
	MOVQ    stride+48(FP), R10
	MOVBLZX more+56(FP), R11
	SHLQ    $2, R9
	SHLQ    $2, R10

blendBlock:
	CMPQ   CX, $64
	JLT    blendRest
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
	MOVQ  $8, BX
	CMPQ  CX, BX
	CMOVQLT CX, BX
	NEGQ  BX
	LEAQ  tails<>+32(SB), AX
	VMOVUPS (AX)(BX*4), Y9
	VXORPS Y0, Y0, Y0
	MOVQ   SI, AX
	MOVQ   DX, BX
	MOVQ   R8, R12
	TESTL  R11, R11
	JZ     blendNarrow
	VMASKMOVPS (DI), Y9, Y0

blendNarrow:
	VBROADCASTSS (AX), Y8
	VMASKMOVPS   (BX), Y9, Y1
	VFMADD231PS  Y1, Y8, Y0
	ADDQ         R9, AX
	ADDQ         R10, BX
	DECQ         R12
	JNZ          blendNarrow
	VMASKMOVPS   Y0, Y9, (DI)
	ADDQ         $32, DI
	ADDQ         $32, DX
	SUBQ         $8, CX
	JMP          blendRest

blendEnd:
	VZEROUPPER
	RET
