package console

import (
	"fmt"
	"math"
	"strings"
)

// separatorSpace is the comma and the space between two entries.
const separatorSpace = 2

// moreItems stands for the entries beyond the limit.
func moreItems(n int) string { return fmt.Sprintf("... %d more item%s", n, plural(n)) }

// join puts an object's parts on one line if they fit and are shallow, else on lines of their own.
func (i *inspector) join(l layout, level int) string {
	before := ""
	if l.base != "" {
		before = l.base + " "
	}
	if i.Compact == CompactFully {
		return i.joinCompact(l)
	}
	if i.Compact >= 1 {
		entries := len(l.output)
		if l.grouped && entries > 6 {
			l.output = i.group(l.output, l.numeric)
		}
		if i.deepest-level < i.Compact && entries == len(l.output) {
			start := len(l.output) + i.indent + length(l.braces[0]) + length(l.base) + 10
			if i.fits(l.output, start, l.base) {
				if line := strings.Join(l.output, ", "); !strings.Contains(line, "\n") {
					return before + l.braces[0] + " " + line + " " + l.braces[1]
				}
			}
		}
	}
	indent := "\n" + strings.Repeat(" ", i.indent)
	return before + l.braces[0] + indent + "  " + strings.Join(l.output, ","+indent+"  ") + indent + l.braces[1]
}

func (i *inspector) joinCompact(l layout) string {
	base := ""
	if l.base != "" {
		base = " " + l.base
	}
	if i.fits(l.output, 0, l.base) {
		return l.braces[0] + base + " " + strings.Join(l.output, ", ") + " " + l.braces[1]
	}
	indent := strings.Repeat(" ", i.indent)
	space := " "
	if l.base != "" || len(l.braces[0]) != 1 {
		space = base + "\n" + indent + "  "
	}
	return l.braces[0] + space + strings.Join(l.output, ",\n"+indent+"  ") + " " + l.braces[1]
}

// fits tells whether the entries and what stands before them stay within the line.
func (i *inspector) fits(output []string, start int, base string) bool {
	total := len(output) + start
	if total+len(output) > i.BreakLength {
		return false
	}
	for _, s := range output {
		if total += length(s); total > i.BreakLength {
			return false
		}
	}
	return !strings.Contains(base, "\n")
}

// group puts many short entries into the columns of a block that looks about as high as wide.
func (i *inspector) group(output []string, numeric bool) []string {
	n := len(output)
	if i.MaxArrayLength < n {
		n-- // the line about more items stays alone
	}
	widths := make([]int, n)
	total, longest := 0, 0
	for k := range n {
		i.h.Loop.Poll()
		widths[k] = width(output[k])
		total += widths[k] + separatorSpace
		longest = max(longest, widths[k])
	}
	cell := longest + separatorSpace
	if cell*3+i.indent >= i.BreakLength || float64(total)/float64(cell) <= 5 && longest > 6 {
		return output
	}
	columns := i.columns(n, cell, float64(total)/float64(len(output)))
	if columns <= 1 {
		return output
	}
	widest := make([]int, columns)
	for k, w := range widths {
		widest[k%columns] = max(widest[k%columns], w+separatorSpace)
	}
	var lines []string
	for row := 0; row < n; row += columns {
		i.h.Loop.Poll()
		var b strings.Builder
		last := min(row+columns, n) - 1
		for k := row; k < last; k++ {
			cell, fill := output[k]+", ", strings.Repeat(" ", max(widest[k-row]-widths[k]-separatorSpace, 0))
			if numeric {
				b.WriteString(fill + cell)
			} else {
				b.WriteString(cell + fill)
			}
		}
		if numeric {
			b.WriteString(strings.Repeat(" ", max(widest[last-row]-widths[last]-separatorSpace, 0)))
		}
		b.WriteString(output[last])
		lines = append(lines, b.String())
	}
	if n < len(output) {
		lines = append(lines, output[n])
	}
	return lines
}

// columns is how many columns a block of n cells gets. A character is taken to be 2.5 times as high as wide.
func (i *inspector) columns(n, cell int, average float64) int {
	const heights = 2.5
	bias := math.Sqrt(float64(cell) - average)
	biased := math.Max(float64(cell)-3-bias, 1)
	square := int(math.Floor(math.Sqrt(heights*biased*float64(n))/biased + 0.5))
	return min(square, (i.BreakLength-i.indent)/cell, i.Compact*4, 15)
}
