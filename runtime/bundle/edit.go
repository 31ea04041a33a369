package bundle

import (
	"sort"
	"strings"
)

// edit replaces text[start:end]. The new text has as many line ends as the old one, so that no line moves.
type edit struct {
	start, end int
	text       string
}

// shift says that on one line, from column out on, the original column is column - out + in. Columns count from 0.
// A position inside replaced text maps to where the replaced text began.
type shift struct {
	line     int
	out, in  int
	replaced bool
}

// applyEdits returns text with all edits made, and the shifts of columns in order of line and column. The edits may
// come in any order but don't overlap.
func applyEdits(text string, edits []edit) (string, []shift) {
	if len(edits) == 0 {
		return text, nil
	}
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].start < edits[j].start })
	var out strings.Builder
	out.Grow(len(text) + 64*len(edits))
	var shifts []shift
	line, pos := 0, 0
	inLine, outLine := 0, 0 // offset of the current line's begin in text and in out
	copyTo := func(end int) {
		part := text[pos:end]
		if n := strings.Count(part, "\n"); n > 0 {
			last := strings.LastIndexByte(part, '\n') + 1
			line += n
			inLine = pos + last
			outLine = out.Len() + last
		}
		out.WriteString(part)
		pos = end
	}
	for _, e := range edits {
		copyTo(e.start)
		shifts = append(shifts, shift{line: line, out: out.Len() - outLine, in: e.start - inLine, replaced: true})
		old := text[e.start:e.end]
		if n := strings.Count(old, "\n"); n > 0 {
			line += n
			inLine = e.start + strings.LastIndexByte(old, '\n') + 1
			outLine = out.Len() + strings.LastIndexByte(e.text, '\n') + 1
		}
		out.WriteString(e.text)
		pos = e.end
		shifts = append(shifts, shift{line: line, out: out.Len() - outLine, in: e.end - inLine})
	}
	copyTo(len(text))
	return out.String(), shifts
}

// unshift maps a position after the edits to the one before them.
func unshift(shifts []shift, line, column int) int {
	i := sort.Search(len(shifts), func(i int) bool {
		return shifts[i].line > line || shifts[i].line == line && shifts[i].out > column
	})
	if i == 0 || shifts[i-1].line != line {
		return column
	}
	s := shifts[i-1]
	if s.replaced {
		return s.in
	}
	return column - s.out + s.in
}
