package d1

import (
	_ "embed"
	"math"
	"strings"
	"time"

	"eddy/runtime/engine/webidl"
	"github.com/dop251/goja"

	"eddy/runtime/engine/structured"
	"eddy/runtime/worker"
)

//go:embed d1.js
var source string

// Binding is a D1 binding: env[Key].
type Binding struct {
	Key      string
	Database Queried
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	c := &client{iso: iso, db: b.Database, name: b.Key}
	run := iso.Realm.Function("run", func(fc goja.FunctionCall) goja.Value { return c.run(fc.Argument(0)) })
	bookmark := iso.Realm.Function("bookmark", func(goja.FunctionCall) goja.Value {
		return iso.Runtime().ToValue(b.Database.Bookmark())
	})
	database, err := iso.Internal("cloudflare-internal:d1-api", source, run, bookmark)
	if o, ok := database.(*goja.Object); ok {
		iso.Realm.SetState(o, structured.Refused("ServiceStub cannot be serialized in this context."))
	}
	return database, err
}

// client is a binding on one isolate's loop.
type client struct {
	iso  *worker.Isolate
	db   Queried
	name string // in env
}

// run sends [{statement, params}] to the database when the output gate lets it, and answers with a promise.
func (c *client) run(list goja.Value) goja.Value {
	rt := c.iso.Runtime()
	var queries []Statement
	rt.ForOf(list, func(item goja.Value) bool {
		queries = append(queries, c.statement(item))
		return true
	})
	failure := func(err error) goja.Value { return c.iso.Realm.NewError("Error", err.Error()) }
	limit := callLimit(c.iso.CPULimit())
	note := c.record(queries)
	return c.iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
		results, err := c.db.Run(limit, queries)
		return func() (goja.Value, goja.Value) {
			note(results, err)
			if err != nil {
				return nil, failure(err)
			}
			return c.results(results), nil
		}
	}, failure)
}

// callLimit is how long a call may take for a Worker with this CPU limit. In production a database computes on its own
// account, so a low limit of the Worker shortens a call only as far as no honest query notices.
func callLimit(worker time.Duration) time.Duration {
	const floor = 5 * time.Second
	if worker <= 0 {
		return maxCall
	}
	return min(max(worker, floor), maxCall)
}

// statement reads {statement, params}. What is not a text is refused, as the platform's schema does.
func (c *client) statement(v goja.Value) Statement {
	o, ok := v.(*goja.Object)
	var text goja.Value
	if ok {
		text = o.Get("statement")
	}
	if s, isText := text.(goja.String); isText {
		q := Statement{SQL: s.String()}
		if params := o.Get("params"); params != nil && !goja.IsUndefined(params) {
			c.iso.Runtime().ForOf(params, func(p goja.Value) bool {
				q.Params = append(q.Params, c.parameter(p))
				return true
			})
		}
		return q
	}
	c.iso.Realm.ThrowError("Error", "a D1 statement is a text with parameters, made by prepare()")
	return Statement{}
}

// parameter converts what bind let pass. Values travel as JSON on the platform: NaN and the infinities become null.
func (c *client) parameter(v goja.Value) any {
	if b, ok := c.iso.Realm.Bytes(v); ok {
		return append([]byte{}, b...)
	}
	switch x := webidl.Primitive(v).(type) {
	case int64:
		return float64(x)
	case float64:
		return finite(x)
	case string:
		return x
	}
	return nil
}

func finite(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return x
}

func (c *client) results(list []Result) goja.Value {
	values := make([]any, len(list))
	for i, r := range list {
		c.iso.Loop.Poll()
		values[i] = c.result(r)
	}
	return c.iso.Runtime().NewArray(values...)
}

func (c *client) result(r Result) goja.Value {
	rt := c.iso.Runtime()
	columns := make([]any, len(r.Columns))
	for i, name := range r.Columns {
		columns[i] = name
	}
	rows := make([]any, len(r.Rows))
	for i, row := range r.Rows {
		if i%256 == 0 {
			c.iso.Loop.Poll()
		}
		for j, v := range row {
			row[j] = c.column(v)
		}
		rows[i] = rt.NewArray(row...)
	}
	o := rt.NewObject()
	_ = o.Set("columns", rt.NewArray(columns...))
	_ = o.Set("rows", rt.NewArray(rows...))
	_ = o.Set("meta", c.meta(r.Meta))
	return o
}

// column is a value as JSON would deliver it: bytes are an array of numbers (D1-3).
func (c *client) column(v any) any {
	switch x := v.(type) {
	case float64:
		if v = finite(x); v == nil {
			return goja.Null()
		}
	case string:
		return strings.ToValidUTF8(x, "\uFFFD")
	case []byte:
		numbers := make([]any, len(x))
		for i, b := range x {
			numbers[i] = b
		}
		return c.iso.Runtime().NewArray(numbers...)
	case nil:
		return goja.Null()
	}
	return v
}

func (c *client) meta(m Meta) goja.Value {
	rt := c.iso.Runtime()
	ms := float64(m.Duration.Microseconds()) / 1000
	timings, o := rt.NewObject(), rt.NewObject()
	_ = timings.Set("sql_duration_ms", ms)
	for _, f := range []struct {
		name  string
		value any
	}{
		{"served_by", "miniflare.db"}, {"served_by_primary", true}, {"total_attempts", 1}, {"timings", timings},
		{"duration", ms},
		{"changes", m.Changes}, {"last_row_id", m.LastRowID}, {"changed_db", m.ChangedDB}, {"size_after", m.SizeAfter},
		{"rows_read", m.RowsRead}, {"rows_written", m.RowsWritten},
	} {
		_ = o.Set(f.name, f.value)
	}
	return o
}
