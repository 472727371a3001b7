#include "textflag.h"

// Operands are in Go's order: sources first, the destination last.

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

// func dot8(n int, a, b *float32) float64
//
// Eight sums in double precision, in which products are exact.
TEXT ·dot8(SB), NOSPLIT, $0-32
	MOVQ   n+0(FP), CX
	MOVQ   a+8(FP), SI
	MOVQ   b+16(FP), DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	XORQ   AX, AX

dot:
	VCVTPS2PD   (SI)(AX*4), Y2
	VCVTPS2PD   16(SI)(AX*4), Y3
	VCVTPS2PD   (DX)(AX*4), Y4
	VCVTPS2PD   16(DX)(AX*4), Y5
	VFMADD231PD Y2, Y4, Y0
	VFMADD231PD Y3, Y5, Y1
	ADDQ        $8, AX
	CMPQ        AX, CX
	JLT         dot
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, ret+24(FP)
	VZEROUPPER
	RET

// func magnitude8(n int, x *float32) float64
TEXT ·magnitude8(SB), NOSPLIT, $0-24
	MOVQ     n+0(FP), CX
	MOVQ     x+8(FP), SI
	VPCMPEQD Y4, Y4, Y4
	VPSRLQ   $1, Y4, Y4 // all but the sign
	VXORPD   Y0, Y0, Y0
	VXORPD   Y1, Y1, Y1
	XORQ     AX, AX

magnitude:
	VCVTPS2PD (SI)(AX*4), Y2
	VCVTPS2PD 16(SI)(AX*4), Y3
	VANDPD    Y4, Y2, Y2
	VANDPD    Y4, Y3, Y3
	VADDPD    Y2, Y0, Y0
	VADDPD    Y3, Y1, Y1
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       magnitude
	VADDPD       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD       X1, X0, X0
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X0, X0
	VMOVSD       X0, ret+16(FP)
	VZEROUPPER
	RET

// func scale8(n int, dst, x *float32, factor float64)
TEXT ·scale8(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	MOVQ         dst+8(FP), DI
	MOVQ         x+16(FP), SI
	VBROADCASTSD factor+24(FP), Y0
	XORQ         AX, AX

scale:
	VCVTPS2PD  (SI)(AX*4), Y1
	VCVTPS2PD  16(SI)(AX*4), Y2
	VMULPD     Y0, Y1, Y1
	VMULPD     Y0, Y2, Y2
	VCVTPD2PSY Y1, X1
	VCVTPD2PSY Y2, X2
	VMOVUPS    X1, (DI)(AX*4)
	VMOVUPS    X2, 16(DI)(AX*4)
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        scale
	VZEROUPPER
	RET

// SLOPE is four numbers of slope8. Predicate 4 is "not equal, true for NaN".
#define SLOPE(offset) \
	VCVTPS2PD  offset(SI)(AX*4), Y4  \
	VCVTPS2PD  offset(DX)(AX*4), Y5  \
	VCMPPD     $4, Y3, Y5, Y6        \
	VANDPD     Y2, Y5, Y5            \
	VXORPD     Y0, Y5, Y5            \
	VANDPD     Y6, Y5, Y5            \
	VSUBPD     Y5, Y4, Y4            \
	VMULPD     Y1, Y4, Y4            \
	VCVTPD2PSY Y4, X4                \
	VMOVUPS    X4, offset(DI)(AX*4)

// func slope8(n int, dst, grad, x *float32, along, factor float64)
TEXT ·slope8(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	MOVQ         dst+8(FP), DI
	MOVQ         grad+16(FP), SI
	MOVQ         x+24(FP), DX
	VBROADCASTSD along+32(FP), Y0
	VBROADCASTSD factor+40(FP), Y1
	VPCMPEQD     Y2, Y2, Y2
	VPSLLQ       $63, Y2, Y2 // the sign
	VXORPD       Y3, Y3, Y3
	XORQ         AX, AX

slope:
	SLOPE(0)
	SLOPE(16)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT  slope
	VZEROUPPER
	RET

// func widen8(n int, dst *float64, src *float32)
TEXT ·widen8(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	XORQ AX, AX

widen:
	VCVTPS2PD (SI)(AX*4), Y0
	VCVTPS2PD 16(SI)(AX*4), Y1
	VMOVUPD   Y0, (DI)(AX*8)
	VMOVUPD   Y1, 32(DI)(AX*8)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       widen
	VZEROUPPER
	RET

// func narrow8(n int, dst *float32, src *float64)
TEXT ·narrow8(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), CX
	MOVQ dst+8(FP), DI
	MOVQ src+16(FP), SI
	XORQ AX, AX

narrow:
	VCVTPD2PSY (SI)(AX*8), X0
	VCVTPD2PSY 32(SI)(AX*8), X1
	VMOVUPS    X0, (DI)(AX*4)
	VMOVUPS    X1, 16(DI)(AX*4)
	ADDQ       $8, AX
	CMPQ       AX, CX
	JLT        narrow
	VZEROUPPER
	RET
