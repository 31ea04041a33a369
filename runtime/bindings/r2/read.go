package r2

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"eddy/runtime/bindings/objectstore"
	"eddy/runtime/sqlite"
)

// Head reads what is known of a key, nil if it is not there.
func (b *Bucket) Head(key string) (o *StoredObject, err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	err = b.index.Read(func(q objectstore.Execute) error {
		o, err = find(q, key)
		return err
	})
	if o != nil {
		o.Range = &Range{0, o.Size}
	}
	return o, err
}

// Get reads a key. The object is nil if it is not there; body is nil if the condition does not hold.
func (b *Bucket) Get(key string, onlyIf *Condition, r *RangeOption) (o *StoredObject, body io.ReadCloser, err error) {
	if err := checkKey(key); err != nil {
		return nil, nil, err
	}
	var parts []part
	// The values are opened before the lock is given up: who overwrites the key then removes them, but they stay
	// readable.
	err = b.index.Read(func(q objectstore.Execute) error {
		if o, err = find(q, key); err != nil || o == nil {
			return err
		}
		o.Range = &Range{0, o.Size}
		if !onlyIf.holds(o) {
			return nil
		}
		chosen, err := r.of(o.Size)
		if err != nil {
			return err
		}
		o.Range = &chosen
		if parts, err = partsOf(q, o); err != nil {
			return err
		}
		body, err = b.open(parts, chosen)
		return err
	})
	if err != nil {
		if body != nil {
			err = errors.Join(err, body.Close())
		}
		return nil, nil, err
	}
	return o, body, nil
}

// part is a part of a value, or all of it.
type part struct {
	file string
	size int64
}

func partsOf(q objectstore.Execute, o *StoredObject) (parts []part, err error) {
	if o.value != "" {
		return []part{{o.value, o.Size}}, nil
	}
	err = q("SELECT blob_id, size FROM _mf_multipart_parts WHERE object_key = ? ORDER BY part_number", []any{o.Key},
		func(st *sqlite.Stmt) { parts = append(parts, part{st.Text(0), st.Int(1)}) })
	return parts, err
}

// open opens the values of a range.
func (b *Bucket) open(parts []part, r Range) (io.ReadCloser, error) {
	body := &sections{}
	var readers []io.Reader
	start := int64(0)
	for _, p := range parts {
		from, to := max(r.Offset, start), min(r.Offset+r.Length, start+p.size)
		if from < to {
			f, err := b.index.OpenValue(p.file, from-start, to-start)
			if err != nil {
				return nil, errors.Join(fmt.Errorf("R2 value: %w", err), body.Close())
			}
			body.files = append(body.files, f)
			readers = append(readers, f)
		}
		start += p.size
	}
	body.Reader = io.MultiReader(readers...)
	return body, nil
}

// sections is a value read from several parts.
type sections struct {
	io.Reader
	files []io.Closer
}

func (s *sections) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files = nil
	return errors.Join(errs...)
}

// ListOptions are those of list.
type ListOptions struct {
	Limit      *int     `json:"limit"`
	Prefix     string   `json:"prefix"`
	Cursor     string   `json:"cursor"`
	Delimiter  string   `json:"delimiter"`
	StartAfter string   `json:"startAfter"`
	Include    []string `json:"include"`
}

// Listing is a page of a list.
type Listing struct {
	Objects   []*StoredObject `json:"objects"`
	Truncated bool            `json:"truncated"`
	Cursor    string          `json:"cursor,omitempty"`
	Prefixes  []string        `json:"delimitedPrefixes"`
}

// List returns the keys that begin with a prefix, in the order of their bytes. Keys that have the delimiter behind the
// prefix are joined to one delimited prefix.
func (b *Bucket) List(o ListOptions) (Listing, error) {
	limit := maxListKeys
	if o.Limit != nil {
		switch limit = *o.Limit; {
		case limit == -1: // the platform's word for none
			limit = maxListKeys
		case limit < 1 || limit > maxListKeys:
			return Listing{}, errMaxKeys
		}
	}
	if len(o.Include) > 0 {
		limit = min(limit, 100) // metadata make a page heavy
	}
	after, given := o.StartAfter, o.StartAfter != ""
	if o.Cursor != "" {
		if c := lastKey(o.Cursor); !given || c > after {
			after, given = c, true
		}
	}
	l := Listing{Objects: []*StoredObject{}, Prefixes: []string{}}
	grouped := false // the entry before is a delimited prefix, and after is behind all its keys
	err := b.index.Read(func(q objectstore.Execute) error {
		for {
			obj, err := next(q, o.Prefix, after, given)
			if err != nil || obj == nil {
				return err
			}
			if len(l.Objects)+len(l.Prefixes) == limit {
				if grouped {
					if after, err = last(q, after); err != nil {
						return err
					}
				}
				l.Truncated, l.Cursor = true, base64.StdEncoding.EncodeToString([]byte(after))
				return nil
			}
			after, given, grouped = obj.Key, true, false
			rest := obj.Key[len(o.Prefix):]
			if i := strings.Index(rest, o.Delimiter); o.Delimiter != "" && i >= 0 {
				group := obj.Key[:len(o.Prefix)+i+len(o.Delimiter)]
				l.Prefixes = append(l.Prefixes, group)
				after, grouped = objectstore.Behind(group), true
				continue
			}
			if !slices.Contains(o.Include, "httpMetadata") {
				obj.HTTP = json.RawMessage("{}")
			}
			if !slices.Contains(o.Include, "customMetadata") {
				obj.Custom = json.RawMessage("{}")
			}
			l.Objects = append(l.Objects, obj)
		}
	})
	return l, err
}

// next is the first key with the prefix behind after.
func next(q objectstore.Execute, prefix, after string, given bool) (o *StoredObject, err error) {
	var behind any
	if given {
		behind = after
	}
	qerr := q("SELECT "+columns+
		" FROM _mf_objects WHERE key >= ?1 AND key < ?3 AND (?2 IS NULL OR key > ?2) ORDER BY key LIMIT 1",
		[]any{prefix, behind, objectstore.Behind(prefix)}, func(st *sqlite.Stmt) { o, err = scan(st) })
	return o, errors.Join(qerr, err)
}

// last is the last key before another.
func last(q objectstore.Execute, before string) (key string, err error) {
	var o *StoredObject
	qerr := q("SELECT "+columns+" FROM _mf_objects WHERE key < ? ORDER BY key DESC LIMIT 1", []any{before},
		func(st *sqlite.Stmt) { o, err = scan(st) })
	if err = errors.Join(qerr, err); err != nil || o == nil {
		return before, err
	}
	return o.Key, nil
}

// lastKey is the key that a cursor stands for. Like the reference it takes any text for base64: what is none counts for
// nothing, and what is no UTF-8 becomes a key behind all others.
func lastKey(cursor string) string {
	digits := strings.Map(func(c rune) rune {
		switch {
		case c == '-':
			return '+'
		case c == '_':
			return '/'
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '+', c == '/':
			return c
		}
		return -1
	}, cursor)
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1]
	}
	key, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(key), "\uFFFD")
}
