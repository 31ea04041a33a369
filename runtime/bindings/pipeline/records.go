package pipeline

import (
	"bytes"
	"errors"
	"io"
	"os"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/cluster/objects"
	"eddy/runtime/sqlite"
)

// Batch is what one send() has brought, or some that follow each other: lines of JSON.
type Batch struct {
	// Number is the place of the last: greater than those of what came before it.
	Number int64
	Lines  []byte
}

// RecordsOptions configure [Records].
type RecordsOptions struct {
	// Index is the path of the file that says what there is.
	Index string
	Clock clock.Clock
	// Home is where a cluster keeps them.
	Home *objectstore.Home
}

// Records are those of a pipeline on the node of a cluster that has it: an index, and a value for each send(), so that
// a node which takes them over need not read them all. Any goroutine.
type Records struct {
	clock clock.Clock
	index *objectstore.Index
}

// NewRecords makes them; nothing is opened yet.
func NewRecords(o RecordsOptions) *Records {
	return &Records{o.Clock, objectstore.NewIndex(objectstore.IndexOptions{Path: o.Index, What: "pipeline",
		Schema: objects.RecordsSchema, Home: o.Home, Named: "SELECT 1 FROM records WHERE value = ?1",
		Values: objectstore.Values{Dir: o.Index + ".values"}})}
}

// Add appends lines, of which there may be 5 MB.
func (r *Records) Add(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	m, err := r.index.Make(bytes.NewReader(lines), r.clock.Now())
	if err != nil {
		return err
	}
	return r.index.Exchange([]objectstore.Made{m}, func(q objectstore.Execute) ([]string, error) {
		return nil, q("INSERT INTO records (value, size) VALUES (?, ?)", []any{m.Name, int64(len(lines))}, nil)
	})
}

// Next are the records that were added first after a number, which is 0 for the start, up to some megabytes; none if
// nothing was.
func (r *Records) Next(after int64) (b Batch, err error) {
	var sizes []int64
	var bodies []io.ReadCloser
	b.Number = after
	err = r.index.Read(func(q objectstore.Execute) error {
		var names []string
		var numbers []int64
		err := q("SELECT n, value, size FROM records WHERE n > ? ORDER BY n LIMIT 1000", []any{after},
			func(st *sqlite.Stmt) {
				numbers, names, sizes = append(numbers, st.Int(0)), append(names, st.Text(1)), append(sizes, st.Int(2))
			})
		sum := int64(0)
		for i, name := range names {
			if sum += sizes[i]; i > 0 && sum > maxBatch {
				break
			}
			var body io.ReadCloser
			if err == nil {
				body, err = r.index.OpenValue(name, 0, sizes[i])
			}
			if err != nil {
				break
			}
			bodies, b.Number = append(bodies, body), numbers[i]
		}
		return err
	})
	for i, body := range bodies {
		if err == nil {
			lines := make([]byte, sizes[i])
			_, err = io.ReadFull(body, lines)
			b.Lines = append(b.Lines, lines...)
		}
		err = errors.Join(err, body.Close())
	}
	if err != nil {
		return Batch{Number: after}, err
	}
	return b, nil
}

// maxBatch is how many bytes a [Batch] of more than one send() has.
const maxBatch = 4 << 20

// Leave gives them up, because another node of the cluster has them, or will have them.
func (r *Records) Leave() error { return r.index.Leave() }

// Close closes the file.
func (r *Records) Close() error { return r.index.Close() }

// Each calls fn with all records of the file of a pipeline of one machine, which need not be there.
func Each(path string, fn func(io.Reader) error) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(fn(f), f.Close())
}
