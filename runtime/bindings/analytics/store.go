package analytics

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"eddy/runtime/bindings/analytics/dialect"
	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
)

// retention is how long the platform keeps points: three months.
const retention = 92 * 24 * time.Hour

// names are the columns of the table, which are those that the SQL API shows.
var names = func() (list []string) {
	list = []string{"dataset", "timestamp", "_sample_interval", "index1"}
	for _, kind := range []string{"blob", "double"} {
		for i := range dialect.Width {
			list = append(list, kind+strconv.Itoa(i+1))
		}
	}
	return list
}()

// schema keeps the time in milliseconds, what was not given as NULL, and a double that is no number as its text.
var schema = "CREATE TABLE IF NOT EXISTS points (" + strings.Join(names, ", ") + ");" +
	"CREATE INDEX IF NOT EXISTS points_dataset ON points (dataset, timestamp);"

// Options configure a [Store].
type Options struct {
	Path  string
	Clock clock.Clock
	// Failed is called when points could not be written. Any goroutine; nil for nobody.
	Failed func(error)
}

// Store is the file of data points. Any goroutine.
type Store struct {
	o  Options
	db *objectstore.Index
	// swept says that points which are too old were removed, once a session. Of the goroutine that writes.
	swept bool

	mu      sync.Mutex // guards what follows
	waiting []dialect.Point
	writing bool
	written *sync.Cond
	failed  error
}

// New makes a store; nothing is opened yet.
func New(o Options) *Store {
	s := &Store{o: o, db: objectstore.NewIndex(objectstore.IndexOptions{Path: o.Path, Schema: schema,
		What: "Analytics Engine", Relaxed: true})}
	s.written = sync.NewCond(&s.mu)
	return s
}

// Write takes a point.
func (s *Store) Write(p dialect.Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, p)
	if !s.writing {
		s.writing = true
		go s.write()
	}
}

// write writes until nothing waits.
func (s *Store) write() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.waiting) > 0 {
		list := s.waiting
		s.waiting = nil
		s.mu.Unlock()
		err := s.insert(list)
		s.mu.Lock()
		if err != nil {
			s.failed = err
			if s.o.Failed != nil {
				s.o.Failed(err)
			}
		}
	}
	s.writing = false
	s.written.Broadcast()
}

func (s *Store) insert(list []dialect.Point) error {
	statement := "INSERT INTO points VALUES (?" + strings.Repeat(", ?", len(names)-1) + ")"
	return s.db.Write(func(q objectstore.Execute) error {
		for _, p := range list {
			row := []any{p.Dataset, p.Time.UnixMilli(), p.SampleInterval, p.Index}
			for _, b := range p.Blobs {
				row = append(row, b)
			}
			for _, d := range p.Doubles {
				row = append(row, double(d))
			}
			for i, v := range row {
				if v == "" || v == float64(0) {
					row[i] = nil
				}
			}
			if err := q(statement, row, nil); err != nil {
				return err
			}
		}
		if s.swept {
			return nil
		}
		s.swept = true
		return q("DELETE FROM points WHERE timestamp < ?", []any{s.o.Clock.Now().Add(-retention).UnixMilli()}, nil)
	})
}

// double is a number as SQLite can keep it: it has no NaN.
func double(d float64) any {
	if math.IsNaN(d) {
		return "NaN"
	}
	return d
}

// flush waits until what was taken is written. It returns what could not be, once.
func (s *Store) flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.writing {
		s.written.Wait()
	}
	err := s.failed
	s.failed = nil
	return err
}

// Query answers a statement of the SQL API. A mistake in it is a [*dialect.Mistake].
func (s *Store) Query(ctx context.Context, text string) (*dialect.Answer, error) {
	st, err := dialect.Parse(text)
	if err != nil {
		return nil, err
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return st.Run(ctx, dialect.Data{Tables: s.datasets, Points: s.points, Now: s.o.Clock.Now()})
}

func (s *Store) datasets() (list []string, err error) {
	err = s.db.Read(func(q objectstore.Execute) error {
		list, err = q.Names("SELECT DISTINCT dataset FROM points ORDER BY dataset")
		return err
	})
	return list, err
}

// page is how many points are read at a time: writers come in between.
const page = 1000

// points reads the points of a dataset in the order in which they came.
func (s *Store) points(dataset string, f func(dialect.Point) bool) error {
	last := int64(0)
	for {
		var list []dialect.Point
		err := s.db.Read(func(q objectstore.Execute) error {
			return q("SELECT rowid, * FROM points WHERE dataset = ? AND rowid > ? ORDER BY rowid LIMIT ?",
				[]any{dataset, last, int64(page)}, func(st *sqlite.Stmt) {
					last = st.Int(0)
					list = append(list, read(st))
				})
		})
		if err != nil {
			return err
		}
		for _, p := range list {
			if !f(p) {
				return nil
			}
		}
		if len(list) < page {
			return nil
		}
	}
}

func read(st *sqlite.Stmt) dialect.Point {
	p := dialect.Point{Dataset: st.Text(1), Time: time.UnixMilli(st.Int(2)), SampleInterval: st.Int(3),
		Index: st.Text(4)}
	for i := range dialect.Width {
		p.Blobs[i] = st.Text(5 + i)
		switch v := st.Value(5 + dialect.Width + i).(type) {
		case float64:
			p.Doubles[i] = v
		case int64:
			p.Doubles[i] = float64(v)
		case string:
			p.Doubles[i] = math.NaN()
		}
	}
	return p
}

// Clear forgets all points.
func (s *Store) Clear() error {
	return errors.Join(s.flush(), s.db.Clear())
}

// Close writes what was taken and closes the file.
func (s *Store) Close() error {
	return errors.Join(s.flush(), s.db.Close())
}
