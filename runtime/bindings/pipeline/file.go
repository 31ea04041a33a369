// Package pipeline keeps what Workers send into pipelines (BIND-130): records as lines of JSON, appended to a file
// under the state directory, where wrangler dev drops them, or kept by a cluster. A [File], [Records] and [Away] may be
// used from any goroutine.
package pipeline

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// maxRequest is the platform's limit of one send(), in bytes.
const maxRequest = 5 << 20

var errTooLarge = errors.New("send() of a pipeline takes at most 5 MB")

// File takes records. It implements [http.Handler].
type File struct {
	Path string

	mu sync.Mutex // one send() after the other, so that lines stay whole
}

// ServeHTTP implements [http.Handler].
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) { take(w, r, f.add) }

// take answers a request that brings records.
func take(w http.ResponseWriter, r *http.Request, add func([]byte) error) {
	lines, err := io.ReadAll(io.LimitReader(r.Body, maxRequest+1))
	if err == nil && len(lines) > maxRequest {
		http.Error(w, errTooLarge.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if err == nil {
		err = add(lines)
	}
	if err != nil {
		http.Error(w, "pipeline: "+err.Error(), http.StatusInternalServerError)
	}
}

func (f *File) add(lines []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(lines)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
