package kv

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"eddy/runtime/bindings/objectstore"
)

// Namespace is one namespace: a [Store], or an [AwayNamespace] that leads to one. Any goroutine.
type Namespace interface {
	Get(key string) (e StoredValue, ok bool, err error)
	List(prefix, cursor string, limit int) (Page, error)
	Put(key string, e StoredValue) error
	Delete(key string) error
}

// AwayNamespace is a namespace of a cluster, wherever it is.
type AwayNamespace struct{ Way objectstore.Way }

// ask is a call as it crosses nodes. The value of a put is its body.
type ask struct {
	Op       string `json:"op"`
	Key      string `json:"key,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	// Expires is in seconds since 1970, 0 for never.
	Expires int64  `json:"expires,omitempty"`
	Prefix  string `json:"prefix,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
	Limit   int    `json:"limit,omitempty"`
}

// answer is what the node says that has the namespace. The value of a get is its body.
type answer struct {
	Found bool     `json:"found,omitempty"`
	Entry *listed  `json:"entry,omitempty"`
	Keys  []listed `json:"keys,omitempty"`
	// Cursor is base64.
	Cursor string `json:"cursor,omitempty"`
}

// listed is an entry without its value.
type listed struct {
	Name     string `json:"name,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	Expires  int64  `json:"expires,omitempty"`
}

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func moment(s int64) time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.Unix(s, 0)
}

// Get implements [Namespace].
func (a AwayNamespace) Get(key string) (e StoredValue, ok bool, err error) {
	var got answer
	value, err := objectstore.Whole(a.Way, ask{Op: "get", Key: key}, nil, true, &got, maxValue)
	if err != nil || !got.Found || got.Entry == nil {
		return e, false, err
	}
	return StoredValue{Value: value, Metadata: got.Entry.Metadata, Expiration: moment(got.Entry.Expires)}, true, nil
}

// List implements [Namespace].
func (a AwayNamespace) List(prefix, cursor string, limit int) (p Page, err error) {
	var got answer
	q := ask{Op: "list", Prefix: prefix, Cursor: cursor, Limit: limit}
	if _, err := a.Way.Call(q, nil, true, &got); err != nil {
		return p, err
	}
	p.Cursor = got.Cursor
	for _, k := range got.Keys {
		p.Keys = append(p.Keys, Key{Name: k.Name, Metadata: k.Metadata, Expiration: moment(k.Expires)})
	}
	return p, nil
}

// Put implements [Namespace].
func (a AwayNamespace) Put(key string, e StoredValue) error {
	_, err := a.Way.Call(ask{Op: "put", Key: key, Metadata: e.Metadata, Expires: seconds(e.Expiration)}, e.Value, false,
		&answer{})
	return err
}

// Delete implements [Namespace].
func (a AwayNamespace) Delete(key string) error {
	_, err := a.Way.Call(ask{Op: "delete", Key: key}, nil, false, &answer{})
	return err
}

// Serve implements [objectstore.Service].
func (s *Store) Serve(head []byte, body io.Reader) (objectstore.Told, error) {
	var q ask
	if err := json.Unmarshal(head, &q); err != nil {
		return objectstore.Told{}, fmt.Errorf("a call to a KV namespace: %w", err)
	}
	switch q.Op {
	case "get":
		e, ok, err := s.Get(q.Key)
		if err != nil || !ok {
			return answered(answer{}, err)
		}
		return objectstore.TellBody(answer{Found: true,
			Entry: &listed{Metadata: e.Metadata, Expires: seconds(e.Expiration)}}, e.Value)
	case "list":
		if q.Limit < 1 || q.Limit > maxListKeys {
			q.Limit = maxListKeys
		}
		p, err := s.List(q.Prefix, q.Cursor, q.Limit)
		a := answer{Cursor: p.Cursor}
		for _, k := range p.Keys {
			a.Keys = append(a.Keys, listed{Name: k.Name, Metadata: k.Metadata, Expires: seconds(k.Expiration)})
		}
		return answered(a, err)
	case "put":
		e := StoredValue{Metadata: q.Metadata, Expiration: moment(q.Expires)}
		value, err := io.ReadAll(io.LimitReader(body, maxValue+1))
		if err != nil {
			return objectstore.Told{}, objectstore.ErrDisconnected // the caller has gone
		}
		e.Value = value
		if err := Check(q.Key, e); err != nil {
			return objectstore.Told{}, err
		}
		return answered(answer{}, s.Put(q.Key, e))
	case "delete":
		return answered(answer{}, s.Delete(q.Key))
	}
	return objectstore.Told{}, fmt.Errorf("a KV namespace knows no %q", q.Op)
}

func answered(a answer, err error) (objectstore.Told, error) {
	if err != nil {
		return objectstore.Told{}, err
	}
	return objectstore.Tell(a)
}
