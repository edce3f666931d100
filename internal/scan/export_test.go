package scan

// CutAbove makes blocks of a crowd small enough to be cut in a test.
func (o Options) CutAbove(rows int) Options {
	o.block = rows
	return o
}
