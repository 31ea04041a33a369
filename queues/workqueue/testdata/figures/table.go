package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// table keeps what was measured, by contestant and column.
type table struct {
	rows, columns []string
	cells         map[[2]string][]float64
}

func newTable() *table { return &table{cells: map[[2]string][]float64{}} }

func (t *table) add(row, column string, v float64) {
	if !slices.Contains(t.rows, row) {
		t.rows = append(t.rows, row)
	}
	if !slices.Contains(t.columns, column) {
		t.columns = append(t.columns, column)
	}
	t.cells[[2]string{row, column}] = append(t.cells[[2]string{row, column}], v)
}

// print writes medians. Without markdown, the least and the most stand below them.
func (t *table) print(w io.Writer, markdown bool) {
	number := func(v float64) string {
		if v < 100 {
			return fmt.Sprintf("%.2f", v)
		}
		return fmt.Sprintf("%.0f", v)
	}
	if markdown {
		fmt.Fprintf(w, "| | %s |\n|---|%s\n", strings.Join(t.columns, " | "), strings.Repeat("---:|", len(t.columns)))
	} else {
		fmt.Fprintf(w, "%-16s", "")
		for _, c := range t.columns {
			fmt.Fprintf(w, "%16s", c)
		}
		fmt.Fprintln(w)
	}
	for _, row := range t.rows {
		var medians, ranges []string
		for _, c := range t.columns {
			all := slices.Sorted(slices.Values(t.cells[[2]string{row, c}]))
			if len(all) == 0 {
				medians, ranges = append(medians, "–"), append(ranges, "")
				continue
			}
			medians = append(medians, number(all[len(all)/2]))
			ranges = append(ranges, number(all[0])+"-"+number(all[len(all)-1]))
		}
		if markdown {
			fmt.Fprintf(w, "| %s | %s |\n", row, strings.Join(medians, " | "))
			continue
		}
		for i, cells := range [][]string{medians, ranges} {
			fmt.Fprintf(w, "%-16s", []string{row, ""}[i])
			for _, c := range cells {
				fmt.Fprintf(w, "%16s", c)
			}
			fmt.Fprintln(w)
		}
	}
}
