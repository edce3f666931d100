package jsonl

import "sort"

// markEvery is how far apart the marks of the line index stand.
const markEvery = 128 << 10

// mark says which line starts at an offset of the stream.
type mark struct{ offset, number int64 }

// marks is a sparse index of one file's lines, made by a scan, ascending.
type marks []mark

// note adds a line that lies far enough behind the last mark.
func (m *marks) note(offset, number int64) {
	if n := len(*m); n == 0 || offset-(*m)[n-1].offset >= markEvery {
		*m = append(*m, mark{offset, number})
	}
}

// nearest returns the last mark at or before an offset.
func (m marks) nearest(offset int64) mark {
	i := sort.Search(len(m), func(i int) bool { return m[i].offset > offset })
	if i == 0 {
		return mark{0, 1}
	}
	return m[i-1]
}
