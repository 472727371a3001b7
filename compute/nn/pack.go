package nn

// pack writes lanes of an operand as panels of the given width: number k of
// lane l of a panel is at dst[k*width+l]. Lanes that are missing to fill the
// last panel are zero: no result needs them, but numbers left from elsewhere
// could be slow to compute with.
func (o operand) pack(dst []float32, lanes, depth span, kern *kernels, width int) {
	full := lanes.n / width * width
	from, lane, _ := o.at(lanes.at, depth.at)
	switch {
	case full == 0:
	case o.across: // for each k, width numbers are copied into each panel
		kern.spread(dst, from, spread{depth: depth.n, panels: full / width, width: width, step: width * depth.n, stride: o.stride})
	default:
		for l := 0; l < full; l += width {
			kern.weave(dst[l*depth.n:][:width*depth.n], from[l*lane:], width, lane, depth.n)
		}
	}
	if full == lanes.n {
		return
	}
	rest := dst[full*depth.n:][:width*depth.n]
	clear(rest)
	for l := range lanes.n - full {
		from, _, step := o.at(lanes.at+full+l, depth.at)
		for k := range depth.n {
			rest[k*width+l] = from[k*step]
		}
	}
}
