package coverage

import (
	"encoding/json"
	"io"
	"strconv"
)

// MarshalJSON writes the file as istanbul does: maps by numbers.
func (f *FileCoverage) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Path         string              `json:"path"`
		StatementMap map[string]Location `json:"statementMap"`
		FnMap        map[string]Function `json:"fnMap"`
		BranchMap    map[string]Branch   `json:"branchMap"`
		S            map[string]int      `json:"s"`
		F            map[string]int      `json:"f"`
		B            map[string][]int    `json:"b"`
	}{f.Path, numbered(f.Statements), numbered(f.Functions), numbered(f.Branches), numbered(f.StatementCounts),
		numbered(f.FunctionCounts), numbered(f.BranchCounts)})
}

func numbered[T any](list []T) map[string]T {
	out := map[string]T{}
	for i, x := range list {
		out[strconv.Itoa(i)] = x
	}
	return out
}

// writeJSON writes coverage-final.json.
func writeJSON(w io.Writer, files []*FileCoverage) error {
	out := map[string]*FileCoverage{}
	for _, f := range files {
		out[f.Path] = f
	}
	return json.NewEncoder(w).Encode(out)
}

// writeJSONSummary writes coverage-summary.json.
func writeJSONSummary(w io.Writer, files []*FileCoverage) error {
	out := map[string]Summary{"total": Summarize(files...)}
	for _, f := range files {
		out[f.Path] = Summarize(f)
	}
	return json.NewEncoder(w).Encode(out)
}
