package coverage

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// writeLCOV writes lcov.info, the trace file of lcov's geninfo(1).
func writeLCOV(w io.Writer, root string, files []*FileCoverage) error {
	var b strings.Builder
	for _, f := range files {
		s := Summarize(f)
		fmt.Fprintf(&b, "TN:\nSF:%s\n", relative(root, f.Path))
		for _, fn := range f.Functions {
			fmt.Fprintf(&b, "FN:%d,%s\n", fn.Line, fn.Name)
		}
		fmt.Fprintf(&b, "FNF:%d\nFNH:%d\n", s.Functions.Total, s.Functions.Covered)
		for i, fn := range f.Functions {
			fmt.Fprintf(&b, "FNDA:%d,%s\n", f.FunctionCounts[i], fn.Name)
		}
		lines := f.Lines()
		for _, line := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&b, "DA:%d,%d\n", line, lines[line])
		}
		fmt.Fprintf(&b, "LF:%d\nLH:%d\n", s.Lines.Total, s.Lines.Covered)
		for i, branch := range f.Branches {
			for way, count := range f.BranchCounts[i] {
				fmt.Fprintf(&b, "BRDA:%d,%d,%d,%d\n", branch.Line, i, way, count)
			}
		}
		fmt.Fprintf(&b, "BRF:%d\nBRH:%d\nend_of_record\n", s.Branches.Total, s.Branches.Covered)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
