package nn

// pack writes lanes of an operand as panels of the given width: number k of
// lane l of a panel is at dst[k*width+l]. Lanes that are missing to fill the
// last panel are zero: no result needs them, but numbers left from elsewhere
// could be slow to compute with.
func (o operand) pack(dst []float32, lanes, depth span, kern *kernels, width int) {
	full := lanes.n / width * width
	if o.across {
		o.packAcross(dst, span{lanes.at, full}, depth, kern, width)
	} else {
		o.packAlong(dst, span{lanes.at, full}, depth, kern, width)
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

// packAcross packs full panels of lanes that lie side by side: for each k,
// width numbers are copied into each panel.
func (o operand) packAcross(dst []float32, lanes, depth span, kern *kernels, width int) {
	if lanes.n == 0 {
		return
	}
	kern.spread(dst, o.data[depth.at*o.stride+lanes.at:], spread{
		depth: depth.n, panels: lanes.n / width, width: width, step: width * depth.n, stride: o.stride,
	})
}

// packAlong packs full panels of lanes that are stored as rows.
func (o operand) packAlong(dst []float32, lanes, depth span, kern *kernels, width int) {
	for l := 0; l < lanes.n; l += width {
		from := o.data[(lanes.at+l)*o.stride+depth.at:]
		kern.weave(dst[l*depth.n:][:width*depth.n], from, width, o.stride, depth.n)
	}
}
