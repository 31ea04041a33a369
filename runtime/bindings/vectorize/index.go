package vectorize

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/clock"
	"eddy/runtime/sqlite"
)

const schema = `CREATE TABLE IF NOT EXISTS vectors (id TEXT PRIMARY KEY, namespace TEXT, "values" BLOB NOT NULL,
	metadata TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`

// noValue finds no row: vectors lie in the index itself.
const noValue = "SELECT 1 WHERE ?1 IS NULL"

// Options configure a [VectorIndex].
type Options struct {
	Path string
	// Dimensions is 0 for those of the first vector. Metric is cosine (the default), euclidean or dot-product.
	Dimensions int
	Metric     string
	Clock      clock.Clock
	Relaxed    bool
	// Home is where a cluster keeps the index, nil outside of one.
	Home *objectstore.Home
}

// VectorIndex is a vector index. Any goroutine.
type VectorIndex struct {
	o  Options
	db *objectstore.Index
}

// New makes an index; nothing is opened yet.
func New(o Options) *VectorIndex {
	return &VectorIndex{o, objectstore.NewIndex(objectstore.IndexOptions{Path: o.Path, Schema: schema,
		What:    "vector index",
		Relaxed: o.Relaxed, Home: o.Home, Named: noValue})}
}

// Vector is one vector with what belongs to it.
type Vector struct {
	ID        string          `json:"id"`
	Values    []float32       `json:"values"`
	Namespace string          `json:"namespace,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
}

// Description is what describe() gives.
type Description struct {
	VectorCount           int    `json:"vectorCount"`
	Dimensions            int    `json:"dimensions"`
	ProcessedUpToDatetime string `json:"processedUpToDatetime"`
	ProcessedUpToMutation string `json:"processedUpToMutation"`
}

// Describe counts.
func (x *VectorIndex) Describe() (d Description, err error) {
	err = x.db.Read(func(q objectstore.Execute) error {
		d.Dimensions = x.dimensions(q)
		d.ProcessedUpToDatetime, d.ProcessedUpToMutation = setting(q, "time"), setting(q, "mutation")
		return q("SELECT count(*) FROM vectors", nil, func(st *sqlite.Stmt) { d.VectorCount = int(st.Int(0)) })
	})
	return d, err
}

func setting(q objectstore.Execute, name string) (value string) {
	names, err := q.Names("SELECT value FROM settings WHERE name = ?", name)
	if err == nil && len(names) == 1 {
		value = names[0]
	}
	return value
}

func (x *VectorIndex) dimensions(q objectstore.Execute) int {
	if x.o.Dimensions > 0 {
		return x.o.Dimensions
	}
	n, _ := strconv.Atoi(setting(q, "dimensions")) // "" is an index without vectors
	return n
}

// change does f in a transaction and notes the mutation.
func (x *VectorIndex) change(f func(q objectstore.Execute) error) (mutation string, err error) {
	mutation = uuid.NewString()
	err = x.db.Write(func(q objectstore.Execute) error {
		if err := f(q); err != nil {
			return err
		}
		const set = "INSERT OR REPLACE INTO settings VALUES (?, ?)"
		if err := q(set, []any{"mutation", mutation}, nil); err != nil {
			return err
		}
		return q(set, []any{"time", x.o.Clock.Now().UTC().Format(time.RFC3339Nano)}, nil)
	})
	return mutation, err
}

// Put stores vectors; replace says whether one whose id is there already takes its place (BIND-73).
func (x *VectorIndex) Put(vectors []Vector, replace bool) (mutation string, err error) {
	return x.change(func(q objectstore.Execute) error {
		dimensions := x.dimensions(q)
		if dimensions == 0 && len(vectors) > 0 {
			dimensions = len(vectors[0].Values)
			if err := q("INSERT INTO settings VALUES ('dimensions', ?)", []any{strconv.Itoa(dimensions)},
				nil); err != nil {
				return err
			}
		}
		for _, v := range vectors {
			if err := check(v, dimensions); err != nil {
				return err
			}
			how := "INSERT OR IGNORE"
			if replace {
				how = "INSERT OR REPLACE"
			}
			var metadata any
			if len(v.Metadata) > 0 && string(v.Metadata) != "null" {
				metadata = string(v.Metadata)
			}
			if err := q(how+" INTO vectors VALUES (?, ?, ?, ?)", []any{v.ID, v.Namespace, pack(v.Values), metadata},
				nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusal is a mistake of the caller.
type refusal struct {
	code int
	text string
}

// Error implements error.
func (r refusal) Error() string { return r.text }

// check holds a vector against the limits (BIND-74).
func check(v Vector, dimensions int) error {
	switch {
	case v.ID == "" || len(v.ID) > 64:
		return refusal{40008, fmt.Sprintf("invalid vector id %q: expected 1 to 64 bytes", v.ID)}
	case len(v.Namespace) > 64:
		return refusal{40008, fmt.Sprintf("invalid namespace of vector %q: expected at most 64 bytes", v.ID)}
	case len(v.Metadata) > 10<<10:
		return refusal{40008, fmt.Sprintf("invalid metadata of vector %q: expected at most 10 KiB", v.ID)}
	case len(v.Values) != dimensions || dimensions > 1536:
		return refusal{40012, fmt.Sprintf("invalid vector for id=%q, expected %d dimensions, and got %d dimensions",
			v.ID, min(dimensions, 1536), len(v.Values))}
	}
	return nil
}

func pack(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func unpack(b []byte) []float32 {
	values := make([]float32, len(b)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return values
}

// Get are the vectors that there are of ids, in their order.
func (x *VectorIndex) Get(ids []string) (list []Vector, err error) {
	list = []Vector{}
	err = x.db.Read(func(q objectstore.Execute) error {
		for _, id := range ids {
			if err := q(`SELECT id, namespace, "values", metadata FROM vectors WHERE id = ?`, []any{id},
				func(st *sqlite.Stmt) { list = append(list, read(st)) }); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

func read(st *sqlite.Stmt) Vector {
	v := Vector{ID: st.Text(0), Namespace: st.Text(1), Values: unpack(st.Bytes(2))}
	if !st.Null(3) {
		v.Metadata = json.RawMessage(st.Text(3))
	}
	return v
}

// Delete removes the vectors with ids.
func (x *VectorIndex) Delete(ids []string) (mutation string, err error) {
	return x.change(func(q objectstore.Execute) error {
		for _, id := range ids {
			if err := q("DELETE FROM vectors WHERE id = ?", []any{id}, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// Nearest is a search: the TopK vectors nearest to Vector, or to the stored vector VectorID.
type Nearest struct {
	Vector         []float32      `json:"vector"`
	VectorID       string         `json:"vectorId"`
	TopK           *int           `json:"topK"`
	Namespace      *string        `json:"namespace"`
	ReturnValues   bool           `json:"returnValues"`
	ReturnMetadata string         `json:"returnMetadata"`
	Filter         map[string]any `json:"filter"`
}

// Match is a vector that was found.
type Match struct {
	ID        string          `json:"id"`
	Score     float64         `json:"score"`
	Values    []float32       `json:"values,omitempty"`
	Namespace string          `json:"namespace,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
}

// Search looks at every vector.
func (x *VectorIndex) Search(s Nearest) ([]Match, error) {
	topK, most := 5, 100
	if s.TopK != nil {
		topK = *s.TopK
	}
	if s.ReturnValues || s.ReturnMetadata == "all" {
		most = 50
	}
	if topK < 1 || topK > most {
		return nil, refusal{40025, fmt.Sprintf("invalid topK %d: expected 1 to %d", topK, most)}
	}
	matches := []Match{}
	err := x.db.Read(func(q objectstore.Execute) error {
		vector, dimensions := s.Vector, x.dimensions(q)
		if s.VectorID != "" {
			if err := q(`SELECT "values" FROM vectors WHERE id = ?`, []any{s.VectorID},
				func(st *sqlite.Stmt) { vector = unpack(st.Bytes(0)) }); err != nil {
				return err
			}
			if vector == nil {
				return refusal{40026, fmt.Sprintf("vector with id %q not found", s.VectorID)}
			}
		}
		if dimensions > 0 && len(vector) != dimensions {
			return refusal{40006, fmt.Sprintf("invalid query vector, expected %d dimensions, and got %d dimensions",
				dimensions, len(vector))}
		}
		where, params := "", []any(nil)
		if s.Namespace != nil {
			where, params = " WHERE namespace = ?", []any{*s.Namespace}
		}
		var wrong error
		if err := q(`SELECT id, namespace, "values", metadata FROM vectors`+where, params, func(st *sqlite.Stmt) {
			v := read(st)
			fits, err := fits(v.Metadata, s.Filter)
			if err != nil {
				wrong = err
			}
			if err != nil || !fits {
				return
			}
			m := Match{ID: v.ID, Namespace: v.Namespace, Score: x.score(vector, v.Values)}
			if s.ReturnValues {
				m.Values = v.Values
			}
			if s.ReturnMetadata == "all" || s.ReturnMetadata == "indexed" {
				m.Metadata = v.Metadata
			}
			matches = append(matches, m)
		}); err != nil {
			return err
		}
		return wrong
	})
	slices.SortFunc(matches, func(a, b Match) int {
		order := cmp.Compare(b.Score, a.Score)
		if x.o.Metric == "euclidean" {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.ID, b.ID))
	})
	return matches[:min(len(matches), topK)], err
}

// score is the cosine of the angle, the distance, or the product, as the metric says.
func (x *VectorIndex) score(a, b []float32) float64 {
	var dot, aa, bb, distance float64
	for i := range a {
		p, q := float64(a[i]), float64(b[i])
		dot, aa, bb, distance = dot+p*q, aa+p*p, bb+q*q, distance+(p-q)*(p-q)
	}
	switch x.o.Metric {
	case "euclidean":
		return math.Sqrt(distance)
	case "dot-product":
		return dot
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}

// Uses counts the calls so far. If it is what it was, nothing has been stored meanwhile.
func (x *VectorIndex) Uses() int64 { return x.db.Uses() }

// Rest closes the files until the next call: somebody replaces them meanwhile.
func (x *VectorIndex) Rest() error { return x.db.Rest() }

// Clear removes everything.
func (x *VectorIndex) Clear() error {
	_, err := x.change(func(q objectstore.Execute) error {
		if err := q("DELETE FROM vectors", nil, nil); err != nil {
			return err
		}
		return q("DELETE FROM settings", nil, nil)
	})
	return err
}

// Leave gives the index up, because another node of the cluster has it, or will have it.
func (x *VectorIndex) Leave() error { return x.db.Leave() }

// Close closes the file.
func (x *VectorIndex) Close() error { return x.db.Close() }
