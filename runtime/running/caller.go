package running

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Prefix is the path that a session serves for everybody who is not a Worker, APIPrefix that of the control API.
const (
	Prefix    = "/cdn-cgi/eddy"
	APIPrefix = Prefix + "/api"
)

// maxRefusal bounds the body of a refusal.
const maxRefusal = 1 << 20

// Caller carries requests to a session over HTTP, or to a handler in this process.
type Caller struct {
	base, token string
	http        *http.Client
}

// ErrorBody is the body of a refusal of the control API.
type ErrorBody struct {
	Error FailureDetail `json:"error"`
}

// FailureDetail says what was refused and why.
type FailureDetail struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Details []string `json:"details,omitempty"`
}

// Refusal is a refusal of the control API.
type Refusal struct {
	Status int
	FailureDetail
}

// Error is the message and the details, each on a line of its own.
func (r *Refusal) Error() string {
	return strings.Join(append([]string{r.Message}, r.Details...), "\n  ")
}

// TokenError says that a session answers only who brings its token; Text is what it said.
type TokenError struct{ Text string }

func (e *TokenError) Error() string { return e.Text }

// Dial makes a caller for the session at a URL; nothing is sent yet. token is what a session asks for that answers
// other machines than its own, or is a node of a cluster; "" for none. The certificate of an https session may be its
// own making, so it is not checked where no token goes out or where the address is this machine's.
func Dial(base, token string) (*Caller, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("session URL %q: expected http://host:port", base)
	}
	host := u.Hostname()
	here := host == "localhost" || net.ParseIP(host).IsLoopback()
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: token == "" || here},
		DialContext:     (&net.Dialer{}).DialContext}
	return &Caller{base: strings.TrimRight(base, "/"), token: token, http: &http.Client{Transport: transport}}, nil
}

// Over makes a caller for the session at a URL that is reached over a transport of its own, as nodes of a cluster are.
func Over(base, token string, over http.RoundTripper) *Caller {
	return &Caller{base: strings.TrimRight(base, "/"), token: token, http: &http.Client{Transport: over}}
}

// To makes a caller of a handler in this process.
func To(h http.Handler) *Caller {
	return &Caller{base: "http://localhost", http: &http.Client{Transport: handlerTransport{h}}}
}

// handlerTransport answers requests by calling a handler. Streams do not work over it.
type handlerTransport struct{ h http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t handlerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &buffered{header: http.Header{}, status: http.StatusOK}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	t.h.ServeHTTP(w, r)
	return &http.Response{
			StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r, ProtoMajor: 1,
			ProtoMinor: 1},
		nil
}

type buffered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *buffered) Header() http.Header         { return b.header }
func (b *buffered) WriteHeader(status int)      { b.status = status }
func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }

// Do sends a request to a path that is not the control API's.
func (c *Caller) Do(ctx context.Context, method, path string, header http.Header, body io.Reader) (
	*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	r.Host = "localhost" // the session answers local names only, whatever address it listens on
	for k, v := range header {
		r.Header[k] = v
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(r)
}

// Request asks for a path of the control API. in, if it is not nil, goes out as JSON. A refusal is a [*Refusal].
func (c *Caller) Request(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	}
	res, err := c.Do(ctx, method, APIPrefix+path, nil, body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil {
		return nil, err
	}
	var f ErrorBody
	if err := json.Unmarshal(b, &f); err != nil || f.Error.Message == "" {
		if res.StatusCode == http.StatusForbidden {
			return nil, &TokenError{strings.TrimSpace(string(b))}
		}
		return nil, fmt.Errorf("%s %s: the session answered %s: %.200s", method, path, res.Status, b)
	}
	return nil, &Refusal{res.StatusCode, f.Error}
}

// Call asks for a path of the control API and reads the JSON that answers.
func Call[T any](ctx context.Context, c *Caller, method, path string, in any) (out T, err error) {
	res, err := c.Request(ctx, method, path, in)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return out, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return out, nil
}

// Session asks who the session is.
func (c *Caller) Session(ctx context.Context) (Process, error) {
	return Call[Process](ctx, c, "GET", "/session", nil)
}

// Events calls f with what an event stream of the control API tells, until ctx ends, f fails or the session stops.
// opened, if it is not nil, is called once, when nothing can be missed any more.
func (c *Caller) Events(ctx context.Context, path string, opened func(), f func(data []byte) error) error {
	res, err := c.Request(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("tail: %w", err)
		}
		line = strings.TrimRight(line, "\n")
		if line == ": open" && opened != nil {
			opened()
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		if err := f([]byte(data)); err != nil {
			return err
		}
	}
}
