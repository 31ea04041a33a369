package vitest

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// Diff shows what an assertion expected and what it received, line by line (TEST-105): a head, an empty line, and all
// lines, those that differ with - or + in front.
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
	unified, err := udiff.ToUnifiedDiff("", "", before, edits, strings.Count(before, "\n")+1)
	if err != nil {
		b.WriteString("- " + expected + "\n+ " + received)
		return b.String()
	}
	var lines []string
	for _, hunk := range unified.Hunks {
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
