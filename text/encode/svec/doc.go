// Package svec keeps word vectors in a file that is mapped into memory: it opens
// in a moment however large it is, and processes that open it share its pages.
//
// It does not turn texts into vectors: package encode does, with files of this
// package behind it. It is not for vectors of texts, which are private. The
// smallest use is
//
//	f, err := svec.Open("glove.svec")
//	if err != nil {
//		return err
//	}
//	if row, ok := f.Find("word"); ok {
//		f.AddTo(sum, row, 1)
//	}
//
// # The format
//
// Everything is little-endian. The file is a header of 4096 bytes and a body of
// four parts, one after the other:
//
//	rows      count × stride bytes. A row of int8 is a float32 scale, dim signed
//	          bytes and zeros up to a multiple of 4: coordinate i is scale times
//	          byte i. A row of float32 is dim of them. Zeros follow up to a
//	          multiple of 8.
//	table     slots × 8 bytes: the upper half of a word's hash, 4 bytes, above
//	          its row + 1, 4 bytes; 0 if the slot is free. A word stands in the
//	          first free slot from hash mod slots on, going round at the end.
//	offsets   (count + 1) × 4 bytes: where the word of each row begins, and
//	          where the last one ends
//	words     the bytes of the words, in the order of rows
//
// The hash is FNV-1a with 64 bits over the bytes of the word and then the
// finaliser of MurmurHash3. The header is
//
//	0    magic: "SVEC\r\n\x1a\n"    48   SHA-256 of the body, 32 bytes
//	8    version: 1                 80   probes: the most slots that
//	12   numbers: 0 float32, 1 int8      finding a word looks at
//	16   count, 8 bytes             84   length of the name, 2 bytes
//	24   dim                        86   length of the licence, 2 bytes
//	28   flags: 1 is sorted         88   name, and then the licence
//	32   slots, 8 bytes, 2ⁿ         4064 SHA-256 of what is before
//	40   length of words, 8 bytes
//
// with 4 bytes where nothing else is said, and zeros elsewhere. Opening checks
// the header by its SHA-256 and the length of the file by the header, and reads
// nothing else. The body is checked where it is used: in a damaged one a word
// has another vector or none. [File.Verify] reads all of it and tells.
//
// As with every mapped file, cutting it short while it is open ends the process
// that reads beyond the end. [Convert] replaces a file as a whole, which harms
// nobody who has the old one open.
package svec
