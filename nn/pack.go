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
	laneStep, depthStep := o.stride, 1
	if o.across {
		laneStep, depthStep = 1, o.stride
	}
	for l := range lanes.n - full {
		from := o.data[(lanes.at+full+l)*laneStep+depth.at*depthStep:]
		for k := range depth.n {
			rest[k*width+l] = from[k*depthStep]
		}
	}
}

// packAcross packs full panels of lanes that lie side by side: for each k,
// width numbers are copied into each panel.
func (o operand) packAcross(dst []float32, lanes, depth span, kern *kernels, width int) {
	if lanes.n == 0 {
		return
	}
	for k := range depth.n {
		from := o.data[(depth.at+k)*o.stride+lanes.at:][:lanes.n]
		kern.spread(dst[k*width:], from, width, width*depth.n)
	}
}

// packAlong packs full panels of lanes that are stored as rows.
func (o operand) packAlong(dst []float32, lanes, depth span, kern *kernels, width int) {
	for l := 0; l < lanes.n; l += width {
		from := o.data[(lanes.at+l)*o.stride+depth.at:]
		kern.weave(dst[l*depth.n:][:width*depth.n], from, width, o.stride, depth.n)
	}
}
