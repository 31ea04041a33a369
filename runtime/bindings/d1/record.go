package d1

import (
	"encoding/json"

	"eddy/runtime/journal"
)

// record begins to note statements in the journal, if it takes uses of bindings. note is called on the loop, before
// the results are converted.
func (c *client) record(queries []Statement) (note func(results []Result, err error)) {
	e := c.iso.RecordingAll()
	if e == nil {
		return func([]Result, error) {}
	}
	at := c.iso.Loop.Clock().Now().UnixMicro()
	return func(results []Result, err error) {
		for i, q := range queries {
			a := journal.Access{Store: "d1", Binding: c.name, Op: "query", Key: q.SQL, At: at}
			if len(q.Params) > 0 {
				params, _ := json.Marshal(q.Params) // numbers that are finite, texts, bytes and null always marshal
				a.Options = string(params)
			}
			switch {
			case err != nil:
				a.Error = err.Error()
			case i < len(results):
				a.Write = results[i].Meta.ChangedDB
				a.Value = rowsJSON(&results[i])
			}
			e.AddAccess(a)
		}
	}
}

// maxNotedRows is how many rows of a result are noted.
const maxNotedRows = 1000

// rowsJSON are the rows of a result as JSON, a list of values each.
func rowsJSON(r *Result) []byte {
	rows := make([][]any, min(len(r.Rows), maxNotedRows))
	for i := range rows {
		rows[i] = make([]any, len(r.Rows[i]))
		for j, v := range r.Rows[i] {
			if x, ok := v.(float64); ok {
				v = finite(x)
			}
			rows[i][j] = v
		}
	}
	text, _ := json.Marshal(rows) // as above
	return text
}
