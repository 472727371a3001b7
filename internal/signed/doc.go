// Package signed signs files and folders, and believes nothing of them before their
// signature holds. Keys and signatures are minisign's: Ed25519, beside the file that
// is signed, so that minisign checks what sotto signed, and the other way round.
//
// A file is signed as it is. A folder is signed by a list of its files with their
// SHA-256, [ListFile], as sha256sum writes one. What is verified is what is used: a file
// is read once, into memory, and of a folder copies are made that only this process's
// user reads, whose bytes are those that were hashed.
//
//	f, err := key.Open("model", signed.Want{})
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	m, info, err := model.Load(f.Dir)
//
// It is not for keeping anything secret, and a signature says who, not when: whoever
// can write a place can put back what the same key signed before.
package signed
