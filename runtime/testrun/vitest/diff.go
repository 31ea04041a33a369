package vitest

import (
	"fmt"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// diffContext is how many equal lines are shown around those that differ.
const diffContext = 5

// Diff shows what an assertion expected and what it received, line by line (TEST-105): a head, an empty line, and the
// lines that differ with - or + in front, among those around them. Where lines are left out a mark says where it goes
// on.
func Diff(expected, received string) string {
	if expected == received {
		return "Compared values have no visual difference."
	}
	var b strings.Builder
	b.WriteString("- Expected\n+ Received\n\n")
	if !strings.Contains(expected, "\n") && !strings.Contains(received, "\n") {
		b.WriteString("- " + expected + "\n+ " + received)
		return b.String()
	}
	before, after := expected+"\n", received+"\n"
	edits := udiff.Lines(before, after)
	unified, err := udiff.ToUnifiedDiff("", "", before, edits, diffContext)
	if err != nil {
		b.WriteString("- " + expected + "\n+ " + received)
		return b.String()
	}
	var lines []string
	for _, hunk := range unified.Hunks {
		from, to := 0, 0
		for _, line := range hunk.Lines {
			if line.Kind != udiff.Insert {
				from++
			}
			if line.Kind != udiff.Delete {
				to++
			}
		}
		if len(unified.Hunks) > 1 || from < strings.Count(before, "\n") || to < strings.Count(after, "\n") {
			lines = append(lines, fmt.Sprintf("@@ -%d,%d +%d,%d @@", hunk.FromLine, from, hunk.ToLine, to))
		}
		for _, line := range hunk.Lines {
			mark := "  "
			switch line.Kind {
			case udiff.Delete:
				mark = "- "
			case udiff.Insert:
				mark = "+ "
			}
			lines = append(lines, mark+strings.TrimSuffix(line.Content, "\n"))
		}
	}
	b.WriteString(strings.Join(lines, "\n"))
	return b.String()
}
