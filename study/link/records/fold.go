package records

// fieldFolds are letters with marks, and the letters that they are compared as.
const fieldFolds = "àaáaâaãaäaåaāaăaąaçcćcĉcċcčcďdđdðdèeéeêeëeēeĕeėeęeěeĝgğgġgģgĥhħhìiíiîiïiĩiīiĭiįiıiĵjķkĺlļlľlłlñnńnņnňnòoóoôoõoöoøoōoŏoőoŕrŗrřrśsŝsşsšsșsţtťtŧtțtùuúuûuüuũuūuŭuůuűuųuŵwýyÿyŷyźzżzžz"

// folded are those up to ſ, by letter.
var folded = func() (out [0x220]string) {
	all := []rune(fieldFolds)
	for k := 0; k < len(all); k += 2 {
		out[all[k]] = string(all[k+1])
	}
	out['ß'], out['æ'], out['œ'], out['þ'] = "ss", "ae", "oe", "th"
	return out
}()

// fold returns what a small letter with a mark is compared as, or "" if that is itself.
func fold(r rune) string {
	if r < 0x80 || int(r) >= len(folded) {
		return ""
	}
	return folded[r]
}
