package d1

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fxamacker/cbor/v2"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
)

// Queried is what a binding needs of a database: a [Database], or an [AwayDatabase] that leads to one. Any goroutine.
type Queried interface {
	Run(limit time.Duration, list []Statement) ([]Result, error)
	Bookmark() string
}

// AwayDatabase is a database of a cluster, wherever it is.
type AwayDatabase struct {
	Way objectstore.Way
	// Clock gives the time of bookmarks.
	Clock clock.Clock
}

// ask is a call as it crosses nodes; the rest is its body.
type ask struct {
	Op string `json:"op"`
}

// asked is the body of a call, as CBOR: of "run" the first two, of "script" SQL, of "apply" the last three.
type asked struct {
	Limit      time.Duration
	Statements []Statement
	SQL        string
	Table      string
	Name       string
}

// Values are what SQLite has, and bytes that are no UTF-8 may be in its texts.
var (
	encoding = must(cbor.EncOptions{}.EncMode())
	decoding = must(cbor.DecOptions{MaxNestedLevels: 8, MaxArrayElements: 1 << 30, MaxMapPairs: 1 << 16,
		UTF8: cbor.UTF8DecodeInvalid}.DecMode())
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the options are constants
	}
	return v
}

// maxAsked and maxAnswered bound the body of a call, which may be a script, and that of an answer, in bytes. Rows take
// less than they count towards maxResult; those of a script are not bounded by that.
const (
	maxAsked    = 512 << 20
	maxAnswered = 1 << 30
)

// call makes a call.
func (a AwayDatabase) call(op string, q asked, reads bool) ([]Result, error) {
	body, err := encoding.Marshal(q)
	if err != nil {
		return nil, err
	}
	text, err := objectstore.Whole(a.Way, ask{op}, body, reads, &struct{}{}, maxAnswered)
	if err != nil || text == nil {
		return nil, err
	}
	var results []Result
	return results, decoding.Unmarshal(text, &results)
}

// Run implements [Queried].
func (a AwayDatabase) Run(limit time.Duration, list []Statement) ([]Result, error) {
	reads := true
	for _, q := range list {
		reads = reads && Selects(q.SQL)
	}
	return a.call("run", asked{Limit: limit, Statements: list}, reads)
}

// Selects tells whether a text is one SELECT, which changes nothing.
func Selects(sql string) bool {
	sql = strings.TrimSpace(sql)
	const word = "select"
	return len(sql) > len(word) && strings.EqualFold(sql[:len(word)], word) && !strings.Contains(sql[:len(sql)-1], ";")
}

// Bookmark implements [Queried].
func (a AwayDatabase) Bookmark() string { return bookmarkAt(a.Clock.Now()) }

// Script implements [Scripted].
func (a AwayDatabase) Script(sql string) ([]Result, error) {
	return a.call("script", asked{SQL: sql}, false)
}

func (a AwayDatabase) apply(table, name, sql string) error {
	_, err := a.call("apply", asked{SQL: sql, Table: table, Name: name}, false)
	return err
}

// Serve implements [objectstore.Service].
func (d *Database) Serve(head []byte, body io.Reader) (objectstore.Told, error) {
	var told objectstore.Told
	var q ask
	if err := json.Unmarshal(head, &q); err != nil {
		return told, fmt.Errorf("a call to a D1 database: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(body, maxAsked))
	if err != nil {
		return told, objectstore.ErrDisconnected // the caller has gone
	}
	var a asked
	if err := decoding.Unmarshal(text, &a); err != nil {
		return told, fmt.Errorf("a call to a D1 database: %w", err)
	}
	var results []Result
	switch q.Op {
	case "run":
		results, err = d.Run(a.Limit, a.Statements)
	case "script":
		results, err = d.Script(a.SQL)
	case "apply":
		err = d.apply(a.Table, a.Name, a.SQL)
	default:
		err = fmt.Errorf("a D1 database knows no %q", q.Op)
	}
	if err != nil {
		return told, err
	}
	if text, err = encoding.Marshal(results); err != nil {
		return told, err
	}
	return objectstore.TellBody(struct{}{}, text)
}
