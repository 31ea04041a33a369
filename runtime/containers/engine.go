package containers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxAnswer is how much of an answer is read, in bytes: those that are not streams are small.
const maxAnswer = 16 << 20

// answerError is an answer of the engine that is not the one that was hoped for.
type answerError struct {
	status int
	text   string
}

// Error implements error.
func (e *answerError) Error() string { return e.text }

// refused tells whether err is an answer with one of the statuses.
func refused(err error, statuses ...int) bool {
	var a *answerError
	return errors.As(err, &a) && slices.Contains(statuses, a.status)
}

// send sends a request whose answer is a stream. A status of 400 or more is an *answerError.
func (e *Engine) send(ctx context.Context, method, path, kind string, body io.Reader) (*http.Response, error) {
	// Paths have no version: engines answer in the newest they know, and refuse old ones.
	r, err := http.NewRequestWithContext(ctx, method, "http://engine"+path, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	res, err := e.client.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 400 {
		return nil, refusal(res)
	}
	return res, nil
}

// refusal reads what the engine says of a request that it refuses.
func refusal(res *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return err
	}
	var said struct{ Message string }
	if json.Unmarshal(text, &said) != nil || said.Message == "" {
		said.Message = strings.TrimSpace(string(text))
	}
	if said.Message == "" {
		said.Message = res.Status
	}
	return &answerError{res.StatusCode, said.Message}
}

// ask sends a request with a JSON body, nil for none, and reads the JSON of the answer, unless into is nil.
func (e *Engine) ask(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(text)
	}
	res, err := e.send(ctx, method, path, "application/json", content)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err = errors.Join(err, res.Body.Close()); err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the container engine's answer to %s %s is no JSON: %w", method, path, err)
	}
	return nil
}
