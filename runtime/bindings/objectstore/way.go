package objectstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"eddy/durableobject"
)

// Name is a store of a cluster: its kind, as wrangler's folders are called, and its id.
type Name struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// classes are miniflare's, by kind; those of workflows, vector indexes and pipelines are eddy's own.
var classes = map[string]string{"kv": "KVNamespaceObject", "d1": "D1DatabaseObject", "r2": "R2BucketObject",
	"secrets-store": "secrets-store-KVNamespaceObject", Workflows: "WorkflowObject",
	"vectorize": "VectorizeIndexObject", "pipelines": "PipelineObject"}

// Workflows is the kind of workflows. Their files hold all instances; they have no values beside them.
const Workflows = "workflows"

// Objects is the kind of Durable Objects, which can be looked into wherever they are. The id has the unique key of the
// namespace before the object's id, with a slash between.
const Objects = "objects"

// Object is the object that a store is in the shards: the key of its kind and its id. The key has a slash, so no
// namespace of Durable Objects has it.
func (n Name) Object() (key, id string) {
	if n.Kind == Objects {
		key, id, _ := strings.Cut(n.ID, "/")
		return key, id
	}
	unique := "miniflare-" + classes[n.Kind]
	return n.Kind + "/" + unique, durableobject.IDFromName(unique, n.ID).String()
}

// Known tells whether there are stores of the kind.
func (n Name) Known() bool { return classes[n.Kind] != "" }

// Ask is a call to a store of a cluster.
type Ask struct {
	// Head says what is asked, as JSON between the two halves of a store's package; Body is a value that goes with it.
	Head []byte
	Body []byte
	// Reads says that the call changes nothing: it is made again if its node is lost.
	Reads bool
}

// Told is the answer to an [Ask].
type Told struct {
	// Head is JSON.
	Head []byte
	// Body is a value, nil for none, of Size bytes. Who gets the answer closes it.
	Body io.ReadCloser
	Size int64
}

// Service is a store on the node that has it. Any goroutine.
type Service interface {
	// Serve makes a call. [ErrElsewhere] says that it has to be made at another node.
	Serve(head []byte, body io.Reader) (Told, error)
	// Leave gives the store up, because another node has it or will.
	Leave() error
	// Close ends the store with its session.
	Close() error
}

// all reads the body of an answer, which may have so many bytes, and closes it.
func (t Told) all(most int64) ([]byte, error) {
	if t.Size < 0 || t.Size > most {
		return nil, errors.Join(fmt.Errorf("an answer of %d bytes, but %d are the most", t.Size, most), t.Body.Close())
	}
	b := make([]byte, t.Size)
	_, err := io.ReadFull(t.Body, b)
	if err := errors.Join(err, t.Body.Close()); err != nil {
		return nil, ErrDisconnected
	}
	return b, nil
}

// Way makes calls to a store, on whichever node has it. While nobody has it they wait for a time.
type Way func(Ask) (Told, error)

// Call makes a call whose head is the JSON of ask, and reads the head of the answer.
func (w Way) Call(ask any, body []byte, reads bool, head any) (Told, error) {
	text, err := json.Marshal(ask)
	if err != nil {
		return Told{}, err
	}
	a, err := w(Ask{Head: text, Body: body, Reads: reads})
	if err != nil {
		return Told{}, err
	}
	if err := json.Unmarshal(a.Head, head); err != nil {
		if a.Body != nil {
			_ = a.Body.Close() // nobody reads it
		}
		return Told{}, fmt.Errorf("the answer of another node: %w", err)
	}
	return a, nil
}

// Whole is [Way.Call] that reads the body of the answer, too, which may have so many bytes; nil is none. A call that
// only reads is made again if its node is lost in the middle of the answer.
func Whole[H any](w Way, ask any, body []byte, reads bool, head *H, most int64) ([]byte, error) {
	for {
		*head = *new(H)
		told, err := w.Call(ask, body, reads, head)
		if err != nil || told.Body == nil {
			return nil, err
		}
		b, err := told.all(most)
		if !reads || !errors.Is(err, ErrDisconnected) {
			return b, err
		}
	}
}

// Tell is an answer whose head is the JSON of a value.
func Tell(head any) (Told, error) {
	text, err := json.Marshal(head)
	return Told{Head: text}, err
}

// TellBody is [Tell] with a body that is in memory.
func TellBody(head any, body []byte) (Told, error) {
	told, err := Tell(head)
	told.Body, told.Size = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return told, err
}
