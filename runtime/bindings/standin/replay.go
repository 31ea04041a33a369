package standin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"sync"
)

// Replay answers requests from a file: a line of JSON for each,
// {"request": {"method", "path", "body"}, "response": {"status", "headers", "body" | "base64"}}. method is POST and
// path any if they are not given; body is JSON or a text, and any if it is not given. Of several lines for one request
// each is used once, in their order, and the last one from then on. It implements [http.Handler].
type Replay struct {
	File string

	mu    sync.Mutex // guards what follows
	lines []replayed
	err   error
	read  bool
}

type replayed struct {
	Request struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	} `json:"request"`
	Response struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
		Base64  string            `json:"base64"`
	} `json:"response"`
	used bool
}

// ServeHTTP implements [http.Handler].
func (p *Replay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	line, err := p.find(r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotImplemented)
		return
	}
	answer := line.Response
	content, kind := []byte(answer.Body), "application/json"
	var text string
	if json.Unmarshal(answer.Body, &text) == nil && len(answer.Body) > 0 {
		content, kind = []byte(text), "text/plain"
	}
	if answer.Base64 != "" {
		if content, err = base64.StdEncoding.DecodeString(answer.Base64); err != nil {
			http.Error(w, fmt.Sprintf("%s: base64: %v", p.File, err), http.StatusInternalServerError)
			return
		}
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	for name, value := range answer.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(max(answer.Status, http.StatusOK))
	_, _ = w.Write(content) // it is kept in memory
}

// find is the line for a request.
func (p *Replay) find(r *http.Request, body []byte) (replayed, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.read {
		p.read, p.err = true, p.load()
	}
	if p.err != nil {
		return replayed{}, p.err
	}
	var last *replayed
	for i := range p.lines {
		if line := &p.lines[i]; line.fits(r, body) {
			if last = line; !line.used {
				break
			}
		}
	}
	if last == nil {
		return replayed{}, fmt.Errorf("%s has no answer to %s %s %s", p.File, r.Method, r.URL.Path, short(body))
	}
	last.used = true
	return *last, nil
}

func short(body []byte) string {
	if len(body) > 300 {
		return string(body[:300]) + "…"
	}
	return string(body)
}

func (l *replayed) fits(r *http.Request, body []byte) bool {
	method := l.Request.Method
	if method == "" {
		method = http.MethodPost
	}
	if method != r.Method || l.Request.Path != "" && l.Request.Path != r.URL.Path {
		return false
	}
	if len(l.Request.Body) == 0 {
		return true
	}
	var want, got any
	if err := json.Unmarshal(l.Request.Body, &want); err != nil {
		return false
	}
	if json.Unmarshal(body, &got) != nil {
		got = string(body)
	}
	return reflect.DeepEqual(want, got)
}

func (p *Replay) load() error {
	data, err := os.ReadFile(p.File)
	if err != nil {
		return err
	}
	for i, text := range bytes.Split(data, []byte("\n")) {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		var line replayed
		if err := json.Unmarshal(text, &line); err != nil {
			return fmt.Errorf("%s:%d: expected {\"request\": {…}, \"response\": {…}}: %w", p.File, i+1, err)
		}
		p.lines = append(p.lines, line)
	}
	return nil
}
