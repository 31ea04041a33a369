package r2

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"eddy/runtime/bindings/objectstore"
)

// Contents are the objects of a bucket: a [Bucket], or an [AwayBucket] that leads to one. Any goroutine.
type Contents interface {
	Get(key string, onlyIf *Condition, r *RangeOption) (o *StoredObject, body io.ReadCloser, err error)
	Put(key string, data []byte, o PutOptions) (*StoredObject, error)
	Delete(keys []string) error
	List(o ListOptions) (Listing, error)
}

// AwayBucket is a bucket of a cluster, wherever it is.
type AwayBucket struct{ Way objectstore.Way }

// ask is a call as it crosses nodes; a value is its body.
type ask struct {
	Method  string  `json:"method"`
	Request request `json:"request"`
}

// said is the head of an answer; a value is its body.
type said struct {
	Result json.RawMessage `json:"result"`
	Body   bool            `json:"body,omitempty"`
}

// do implements [Called].
func (a AwayBucket) do(method string, q request, data []byte) (answer, error) {
	var got said
	reads := method == "head" || method == "get" || method == "list"
	told, err := a.Way.Call(ask{method, q}, data, reads, &got)
	if err != nil {
		return answer{}, err
	}
	if got.Body && told.Body == nil {
		told.Body = io.NopCloser(bytes.NewReader(nil))
	}
	return answer{result: got.Result, body: told.Body, size: told.Size}, nil
}

// ask makes a call and reads its result.
func (a AwayBucket) ask(method string, q request, data []byte, result any) (io.ReadCloser, error) {
	got, err := a.do(method, q, data)
	if err != nil {
		return nil, err
	}
	if text, ok := got.result.(json.RawMessage); ok && len(text) > 0 {
		err = json.Unmarshal(text, result)
	}
	return got.body, err
}

// Get implements [Contents].
func (a AwayBucket) Get(key string, onlyIf *Condition, r *RangeOption) (o *StoredObject, body io.ReadCloser,
	err error) {
	body, err = a.ask("get", request{Key: key, PutOptions: PutOptions{OnlyIf: onlyIf}, Range: r}, nil, &o)
	return o, body, err
}

// Put implements [Contents].
func (a AwayBucket) Put(key string, data []byte, o PutOptions) (obj *StoredObject, err error) {
	_, err = a.ask("put", request{Key: key, PutOptions: o}, data, &obj)
	return obj, err
}

// Delete implements [Contents].
func (a AwayBucket) Delete(keys []string) error {
	_, err := a.ask("delete", request{Keys: keys}, nil, new(any))
	return err
}

// List implements [Contents].
func (a AwayBucket) List(o ListOptions) (l Listing, err error) {
	_, err = a.ask("list", request{ListOptions: o}, nil, &l)
	return l, err
}

// Serve implements [objectstore.Service].
func (b *Bucket) Serve(head []byte, body io.Reader) (objectstore.Told, error) {
	var told objectstore.Told
	var q ask
	if err := json.Unmarshal(head, &q); err != nil {
		return told, fmt.Errorf("a call to an R2 bucket: %w", err)
	}
	var a answer
	var err error
	from := &arriving{Reader: body}
	switch q.Method {
	case "put":
		a.result, err = b.putFrom(q.Request.Key, from, q.Request.PutOptions)
	case "uploadPart":
		a.result, err = b.uploadFrom(q.Request.Key, q.Request.UploadID, q.Request.Number, from)
	default:
		a, err = b.do(q.Method, q.Request, nil)
	}
	if from.cut && !errors.Is(err, objectstore.ErrElsewhere) {
		err = objectstore.ErrDisconnected
	}
	if err != nil {
		return told, err
	}
	result, err := json.Marshal(a.result)
	if err == nil {
		told, err = objectstore.Tell(said{Result: result, Body: a.body != nil})
	}
	if told.Body, told.Size = a.body, a.size; err != nil && a.body != nil {
		err = errors.Join(err, a.body.Close())
	}
	return told, err
}

// arriving is a value that another node sends. cut says that it did not come to its end.
type arriving struct {
	io.Reader
	cut bool
}

// Read implements [io.Reader].
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.cut = a.cut || err != nil && !errors.Is(err, io.EOF)
	return n, err
}
