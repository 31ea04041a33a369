package explorer

import (
	"encoding/base64"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"eddy/runtime/bindings/kv"
	"eddy/runtime/bindings/objectstore"
)

// KVPage is the model of a KV namespace.
type KVPage struct {
	StoreRow
	Prefix string  `json:"prefix"`
	Cursor string  `json:"cursor,omitempty"`
	Keys   []KVKey `json:"keys"`
	// Next asks for what follows, "" if nothing does.
	Next string `json:"next,omitempty"`
	// Key and Value are the one that was asked for, nil for none.
	Value *KVValue `json:"value,omitempty"`
}

// KVKey is a key of a namespace.
type KVKey struct {
	Name     string     `json:"name"`
	Metadata string     `json:"metadata,omitempty"`
	Expires  *time.Time `json:"expires,omitempty"`
}

// KVValue is a key with its value: text, or base64.
type KVValue struct {
	KVKey
	Bytes  int    `json:"bytes"`
	Text   string `json:"text"`
	Base64 bool   `json:"base64,omitempty"`
}

const pageOfStored = 200

func (x *Server) kvPages() []page {
	return []page{of("kv/{namespace}", "kv", "A KV namespace: its keys, and one value.", x.kv,
		field{"prefix", "of the keys"}, field{"cursor", "from the page before"}, field{"key", "whose value is shown"})}
}

// namespace opens a KV namespace beside the session, and closes it again.
func (x *Server) namespace(id string, do func(s kv.Namespace) error) (row StoreRow, err error) {
	l, err := x.stores(nil)
	if err != nil {
		return row, err
	}
	if row, err = x.bound(l.KV, id, "KV namespace"); err != nil {
		return row, err
	}
	if x.o.Cluster != nil {
		return row, do(kv.AwayNamespace{Way: x.o.Cluster.Stored(objectstore.Name{Kind: "kv", ID: row.ID})})
	}
	index, values := kv.Paths(x.o.State, row.ID)
	s := kv.New(kv.Options{Index: index, Values: values, Clock: x.o.Clock})
	return row, errors.Join(do(s), s.Close())
}

func (x *Server) kv(r *http.Request) (*KVPage, error) {
	v := r.URL.Query()
	p := &KVPage{Prefix: v.Get("prefix"), Cursor: v.Get("cursor"), Keys: []KVKey{}}
	var err error
	p.StoreRow, err = x.namespace(r.PathValue("namespace"), func(s kv.Namespace) error {
		list, err := s.List(p.Prefix, p.Cursor, pageOfStored)
		if err != nil {
			return err
		}
		p.Next = list.Cursor
		for _, k := range list.Keys {
			p.Keys = append(p.Keys, kvKey(k.Name, k.Metadata, k.Expiration))
		}
		if !v.Has("key") {
			return nil
		}
		e, ok, err := s.Get(v.Get("key"))
		if err != nil || !ok {
			return err
		}
		p.Value = &KVValue{KVKey: kvKey(v.Get("key"), e.Metadata, e.Expiration), Bytes: len(e.Value)}
		p.Value.Text, p.Value.Base64 = shownBytes(e.Value)
		return nil
	})
	return p, err
}

func kvKey(name, metadata string, expires time.Time) KVKey {
	k := KVKey{Name: name, Metadata: metadata}
	if !expires.IsZero() {
		k.Expires = &expires
	}
	return k
}

// shownBytes is a value as text, or else in base64.
func shownBytes(b []byte) (text string, isBase64 bool) {
	if utf8.Valid(b) {
		return string(b), false
	}
	return base64.StdEncoding.EncodeToString(b), true
}

func (x *Server) kvActs() []act {
	return []act{
		{path: "kv/{namespace}/put", about: "Stores a value.", fields: []field{{"key", "its name"}, {"value", "text"},
			{"base64", "the value is in base64"}, {"metadata", "JSON"}, {"ttl", "seconds"}}, do: x.putKV},
		{path: "kv/{namespace}/delete", about: "Deletes a key.", fields: []field{{"key", "its name"}},
			do: func(in input) (string, string, error) {
				_, err := x.namespace(in.path("namespace"),
					func(s kv.Namespace) error { return s.Delete(in.get("key")) })
				return "deleted " + in.get("key"), storePath("kv", in.path("namespace")), err
			}},
	}
}

func (x *Server) putKV(in input) (string, string, error) {
	e := kv.StoredValue{Value: []byte(in.get("value")), Metadata: in.get("metadata")}
	if in.has("base64") {
		var err error
		if e.Value, err = base64.StdEncoding.DecodeString(in.get("value")); err != nil {
			return "", "", refused("the value is not base64: %v", err)
		}
	}
	ttl, err := in.number("ttl")
	if err != nil {
		return "", "", err
	}
	if ttl != nil {
		e.Expiration = x.now().Add(time.Duration(*ttl) * time.Second).Truncate(time.Second)
	}
	if err := kv.Check(in.get("key"), e); err != nil {
		return "", "", refused("%v", err)
	}
	_, err = x.namespace(in.path("namespace"), func(s kv.Namespace) error { return s.Put(in.get("key"), e) })
	return "stored " + in.get("key"), "", err
}
