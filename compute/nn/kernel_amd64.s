#include "go_asm.h"
#include "textflag.h"

// Operands are in Go's order: sources first, the destination last.

// LOAD fetches the fields of a tile: k to CX, the lanes of a to DI and four
// further on to R10, a lane to R8 and three to R9, a step of depth to R12, b to
// SI, c to DX and its stride to R13, what to add to AX and its stride to R14.
#define LOAD \
	MOVQ t+0(FP), BX             \
	MOVQ tile_k(BX), CX          \
	MOVQ tile_a(BX), DI          \
	MOVQ tile_lane(BX), R8       \
	MOVQ tile_depth(BX), R12     \
	MOVQ tile_b(BX), SI          \
	MOVQ tile_c(BX), DX          \
	MOVQ tile_stride(BX), R13    \
	MOVQ tile_add(BX), AX        \
	MOVQ tile_addStride(BX), R14 \
	SHLQ $2, R8                  \
	SHLQ $2, R12                 \
	SHLQ $2, R13                 \
	SHLQ $2, R14                 \
	LEAQ (R8)(R8*2), R9          \
	LEAQ (DI)(R8*4), R10

// ROW adds a number of a, broadcast, times the sixteen of b in Y0 and Y1 to a
// row of the tile.
#define ROW(from, broadcast, lo, hi) \
	VBROADCASTSS from, broadcast    \
	VFMADD231PS  Y0, broadcast, lo  \
	VFMADD231PS  Y1, broadcast, hi

// STEP is one step along the inner dimension: six numbers of a, sixteen of b. It
// asks for the numbers of b that will be wanted sixty-four steps later, or in the
// next panel: they come from the second-level cache or further away, and the
// processor does not look beyond a page.
#define STEP(b) \
	PREFETCHT0 b+4096(SI)        \
	VMOVUPS b(SI), Y0            \
	VMOVUPS b+32(SI), Y1         \
	ROW((DI), Y2, Y4, Y5)        \
	ROW((DI)(R8*1), Y3, Y6, Y7)  \
	ROW((DI)(R8*2), Y2, Y8, Y9)  \
	ROW((DI)(R9*1), Y3, Y10, Y11) \
	ROW((R10), Y2, Y12, Y13)     \
	ROW((R10)(R8*1), Y3, Y14, Y15) \
	ADDQ R12, DI                 \
	ADDQ R12, R10

// STORE writes a row of the tile to c and moves on to the next.
#define STORE(lo, hi) \
	VMOVUPS lo, (DX)    \
	VMOVUPS hi, 32(DX)  \
	ADDQ    R13, DX

// ADD does so after it has added what there is to add.
#define ADD(lo, hi) \
	VADDPS (AX), lo, lo    \
	VADDPS 32(AX), hi, hi  \
	ADDQ   R14, AX         \
	STORE(lo, hi)

// ASK fetches a row of c into the cache and moves on to the next.
#define ASK(offset) \
	PREFETCHT0 (R11)        \
	PREFETCHT0 offset(R11)  \
	ADDQ R13, R11

// func tile6x16(t *tile)
//
// Y4 to Y15 hold the tile, two registers a row.
TEXT ·tile6x16(SB), NOSPLIT, $0-8
	LOAD
	MOVQ DX, R11 // the rows of c are wanted at the end: ask for them now
	ASK(63)
	ASK(63)
	ASK(63)
	ASK(63)
	ASK(63)
	ASK(63)
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
	STEP(0)
	STEP(64)
	STEP(128)
	STEP(192)
	ADDQ $256, SI
	DECQ BX
	JNZ  four

tail:
	ANDQ $3, CX
	JZ   done

one:
	STEP(0)
	ADDQ $64, SI
	DECQ CX
	JNZ  one

done:
	TESTQ AX, AX
	JZ    store
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
#define WIDEROW(from, broadcast, lo, hi) \
	VBROADCASTSS from, broadcast    \
	VFMADD231PS  Z0, broadcast, lo  \
	VFMADD231PS  Z1, broadcast, hi

// FETCH asks for the numbers of b that will be wanted thirty-two steps later.
#define FETCH(b) \
	PREFETCHT0 b+4096(SI)  \
	PREFETCHT0 b+4160(SI)

// WIDESTEP is one step along the inner dimension: twelve numbers of a,
// thirty-two of b.
#define WIDESTEP(b) \
	FETCH(b)                            \
	VMOVUPS b(SI), Z0                   \
	VMOVUPS b+64(SI), Z1                \
	WIDEROW((DI), Z2, Z8, Z9)           \
	WIDEROW((DI)(R8*1), Z3, Z10, Z11)   \
	WIDEROW((DI)(R8*2), Z4, Z12, Z13)   \
	WIDEROW((DI)(R9*1), Z5, Z14, Z15)   \
	WIDEROW((R10), Z6, Z16, Z17)        \
	WIDEROW((R10)(R8*1), Z7, Z18, Z19)  \
	WIDEROW((R10)(R8*2), Z2, Z20, Z21)  \
	WIDEROW((R10)(R9*1), Z3, Z22, Z23)  \
	WIDEROW((R11), Z4, Z24, Z25)        \
	WIDEROW((R11)(R8*1), Z5, Z26, Z27)  \
	WIDEROW((R11)(R8*2), Z6, Z28, Z29)  \
	WIDEROW((R11)(R9*1), Z7, Z30, Z31)  \
	ADDQ R12, DI                        \
	ADDQ R12, R10                       \
	ADDQ R12, R11

// EIGHTSTEP and FOURSTEP are WIDESTEP for the first eight and four numbers of a
// alone. They move on to the next of b.
#define EIGHTSTEP \
	FOURROWS                            \
	WIDEROW((R10), Z6, Z16, Z17)        \
	WIDEROW((R10)(R8*1), Z7, Z18, Z19)  \
	WIDEROW((R10)(R8*2), Z2, Z20, Z21)  \
	WIDEROW((R10)(R9*1), Z3, Z22, Z23)  \
	ADDQ R12, DI                        \
	ADDQ R12, R10                       \
	ADDQ $128, SI

#define FOURSTEP \
	FOURROWS      \
	ADDQ R12, DI  \
	ADDQ $128, SI

#define FOURROWS \
	FETCH(0)                            \
	VMOVUPS (SI), Z0                    \
	VMOVUPS 64(SI), Z1                  \
	WIDEROW((DI), Z2, Z8, Z9)           \
	WIDEROW((DI)(R8*1), Z3, Z10, Z11)   \
	WIDEROW((DI)(R8*2), Z4, Z12, Z13)   \
	WIDEROW((DI)(R9*1), Z5, Z14, Z15)

// HALFSTEP is WIDESTEP for the first sixteen numbers of b alone.
#define HALFSTEP \
	VMOVUPS (SI), Z0                         \
	VFMADD231PS.BCST (DI), Z0, Z8            \
	VFMADD231PS.BCST (DI)(R8*1), Z0, Z10     \
	VFMADD231PS.BCST (DI)(R8*2), Z0, Z12     \
	VFMADD231PS.BCST (DI)(R9*1), Z0, Z14     \
	VFMADD231PS.BCST (R10), Z0, Z16          \
	VFMADD231PS.BCST (R10)(R8*1), Z0, Z18    \
	VFMADD231PS.BCST (R10)(R8*2), Z0, Z20    \
	VFMADD231PS.BCST (R10)(R9*1), Z0, Z22    \
	VFMADD231PS.BCST (R11), Z0, Z24          \
	VFMADD231PS.BCST (R11)(R8*1), Z0, Z26    \
	VFMADD231PS.BCST (R11)(R8*2), Z0, Z28    \
	VFMADD231PS.BCST (R11)(R9*1), Z0, Z30    \
	ADDQ R12, DI                             \
	ADDQ R12, R10                            \
	ADDQ R12, R11

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

// WIDESTORE writes a row of the tile, as far as the masks K1 and K2 reach, and
// goes to the given label after the last.
#define WIDESTORE(lo, hi, end) \
	VMOVUPS lo, K1, (DX)    \
	VMOVUPS hi, K2, 64(DX)  \
	ADDQ    R13, DX         \
	DECQ    R15             \
	JZ      end

#define WIDEADD(lo, hi, end) \
	VADDPS.Z (AX), lo, K1, lo    \
	VADDPS.Z 64(AX), hi, K2, hi  \
	ADDQ     R14, AX             \
	WIDESTORE(lo, hi, end)

// HALFSTORE and HALFADD are the same for one register a row.
#define HALFSTORE(lo, end) \
	VMOVUPS lo, K1, (DX)  \
	ADDQ    R13, DX       \
	DECQ    R15           \
	JZ      end

#define HALFADD(lo, end) \
	VADDPS.Z (AX), lo, K1, lo  \
	ADDQ     R14, AX           \
	HALFSTORE(lo, end)

// WIDELOAD is LOAD, the third four lanes of a to R11, and K1 and K2 from the
// number of columns; BX keeps the tile.
#define WIDELOAD \
	LOAD                       \
	LEAQ  (DI)(R8*8), R11      \
	MOVQ  CX, R15              \
	MOVQ  tile_cols(BX), CX    \
	MOVQ  $1, BX               \
	SHLQ  CX, BX               \
	DECQ  BX                   \
	KMOVW BX, K1               \
	SHRQ  $16, BX              \
	KMOVW BX, K2               \
	MOVQ  R15, CX              \
	MOVQ  t+0(FP), BX          \
	MOVQ  tile_rows(BX), R15

// func tile12x32(t *tile)
//
// Z8 to Z31 hold the tile, two registers a row.
TEXT ·tile12x32(SB), NOSPLIT, $0-8
	WIDELOAD
	MOVQ R11, BX
	MOVQ DX, R11
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	ASK(64)
	MOVQ BX, R11
	WIDECLEAR
	CMPQ R15, $4
	JLE  wideFour
	CMPQ R15, $8
	JLE  wideEight
	MOVQ CX, BX
	SHRQ $1, BX
	JZ   wideTail

wideTwo:
	WIDESTEP(0)
	WIDESTEP(128)
	ADDQ $256, SI
	DECQ BX
	JNZ  wideTwo

wideTail:
	ANDQ $1, CX
	JZ   wideDone
	WIDESTEP(0)

	JMP  wideDone

wideEight:
	EIGHTSTEP
	DECQ CX
	JNZ  wideEight
	JMP  wideDone

wideFour:
	FOURSTEP
	DECQ CX
	JNZ  wideFour

wideDone:
	TESTQ AX, AX
	JZ    wideStore
	WIDEADD(Z8, Z9, wideEnd)
	WIDEADD(Z10, Z11, wideEnd)
	WIDEADD(Z12, Z13, wideEnd)
	WIDEADD(Z14, Z15, wideEnd)
	WIDEADD(Z16, Z17, wideEnd)
	WIDEADD(Z18, Z19, wideEnd)
	WIDEADD(Z20, Z21, wideEnd)
	WIDEADD(Z22, Z23, wideEnd)
	WIDEADD(Z24, Z25, wideEnd)
	WIDEADD(Z26, Z27, wideEnd)
	WIDEADD(Z28, Z29, wideEnd)
	WIDEADD(Z30, Z31, wideEnd)

wideStore:
	WIDESTORE(Z8, Z9, wideEnd)
	WIDESTORE(Z10, Z11, wideEnd)
	WIDESTORE(Z12, Z13, wideEnd)
	WIDESTORE(Z14, Z15, wideEnd)
	WIDESTORE(Z16, Z17, wideEnd)
	WIDESTORE(Z18, Z19, wideEnd)
	WIDESTORE(Z20, Z21, wideEnd)
	WIDESTORE(Z22, Z23, wideEnd)
	WIDESTORE(Z24, Z25, wideEnd)
	WIDESTORE(Z26, Z27, wideEnd)
	WIDESTORE(Z28, Z29, wideEnd)
	WIDESTORE(Z30, Z31, wideEnd)

wideEnd:
	VZEROUPPER
	RET

// func tile12x16(t *tile)
//
// A tile of at most sixteen columns, from a panel of b as wide as for
// tile12x32.
TEXT ·tile12x16(SB), NOSPLIT, $0-8
	WIDELOAD
	WIDECLEAR

half:
	HALFSTEP
	ADDQ $128, SI
	DECQ CX
	JNZ  half
	TESTQ AX, AX
	JZ    halfStore
	HALFADD(Z8, halfEnd)
	HALFADD(Z10, halfEnd)
	HALFADD(Z12, halfEnd)
	HALFADD(Z14, halfEnd)
	HALFADD(Z16, halfEnd)
	HALFADD(Z18, halfEnd)
	HALFADD(Z20, halfEnd)
	HALFADD(Z22, halfEnd)
	HALFADD(Z24, halfEnd)
	HALFADD(Z26, halfEnd)
	HALFADD(Z28, halfEnd)
	HALFADD(Z30, halfEnd)

halfStore:
	HALFSTORE(Z8, halfEnd)
	HALFSTORE(Z10, halfEnd)
	HALFSTORE(Z12, halfEnd)
	HALFSTORE(Z14, halfEnd)
	HALFSTORE(Z16, halfEnd)
	HALFSTORE(Z18, halfEnd)
	HALFSTORE(Z20, halfEnd)
	HALFSTORE(Z22, halfEnd)
	HALFSTORE(Z24, halfEnd)
	HALFSTORE(Z26, halfEnd)
	HALFSTORE(Z28, halfEnd)
	HALFSTORE(Z30, halfEnd)

halfEnd:
	VZEROUPPER
	RET
