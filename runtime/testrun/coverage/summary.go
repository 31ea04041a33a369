package coverage

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Share is how much of something ran.
type Share struct {
	Total   int     `json:"total"`
	Covered int     `json:"covered"`
	Skipped int     `json:"skipped"`
	Percent float64 `json:"pct"`
}

// Summary is how much ran of a file, or of several.
type Summary struct {
	Lines      Share `json:"lines"`
	Statements Share `json:"statements"`
	Functions  Share `json:"functions"`
	Branches   Share `json:"branches"`
}

func (s *Share) add(count int) {
	s.Total++
	if count > 0 {
		s.Covered++
	}
}

// percent cuts after two digits, as istanbul does; nothing at all is all of it.
func (s *Share) percent() {
	s.Percent = 100
	if s.Total > 0 {
		s.Percent = math.Floor(1000*100*float64(s.Covered)/float64(s.Total)/10) / 100
	}
}

// Summarize sums up files.
func Summarize(files ...*FileCoverage) Summary {
	var s Summary
	for _, f := range files {
		for _, count := range f.Lines() {
			s.Lines.add(count)
		}
		for _, count := range f.StatementCounts {
			s.Statements.add(count)
		}
		for _, count := range f.FunctionCounts {
			s.Functions.add(count)
		}
		for _, ways := range f.BranchCounts {
			for _, count := range ways {
				s.Branches.add(count)
			}
		}
	}
	for _, share := range []*Share{&s.Lines, &s.Statements, &s.Functions, &s.Branches} {
		share.percent()
	}
	return s
}

// uncovered are the lines of a file that did not run, as ranges, or those with branches that were not taken when all
// lines ran.
func (f *FileCoverage) uncovered() string {
	lines := f.Lines()
	var numbers []int
	for line := range lines {
		numbers = append(numbers, line)
	}
	slices.Sort(numbers)
	var ranges []string
	first, last := 0, 0
	end := func() {
		switch {
		case first == 0:
		case first == last:
			ranges = append(ranges, strconv.Itoa(first))
		default:
			ranges = append(ranges, fmt.Sprintf("%d-%d", first, last))
		}
		first = 0
	}
	for _, line := range numbers {
		if lines[line] > 0 {
			end()
			continue
		}
		if first == 0 {
			first = line
		}
		last = line
	}
	end()
	if len(ranges) > 0 {
		return strings.Join(ranges, ",")
	}
	var missed []int
	for i, ways := range f.BranchCounts {
		if slices.Contains(ways, 0) && !slices.Contains(missed, f.Branches[i].Line) {
			missed = append(missed, f.Branches[i].Line)
		}
	}
	slices.Sort(missed)
	var out []string
	for _, line := range missed {
		out = append(out, strconv.Itoa(line))
	}
	return strings.Join(out, ",")
}
