package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"eddy/runtime/journal"
	"eddy/runtime/webapi/fetch"
)

// answers answer outgoing requests from the files.
type answers struct {
	all   []*answer
	below map[string][]*Recorded
	// reuse lets one answer of the file serve several requests.
	reuse bool

	mu sync.Mutex
	// step is the step that runs: the last one that has begun; own are the answers of its events. missed are the
	// requests without an answer, by step. Guarded by mu, as is all below.
	step   int
	own    map[*journal.Line]bool
	missed map[int][]string
	// made counts requests; the one with the number failing fails. keys and calls are those that were made and may
	// change something elsewhere: by idempotency key, and without one.
	made, failing int
	keys          map[string]any
	calls         []any
}

// answer is an outgoing request of a file with its answer.
type answer struct {
	of   *journal.Line
	o    *journal.FileOutgoing
	body []byte
	url  *regexp.Regexp // nil if nothing in it is hidden
	used bool
}

func newAnswers(list []*Recorded, below map[string][]*Recorded) *answers {
	a := &answers{below: below, missed: map[int][]string{}, keys: map[string]any{}}
	for _, r := range sorted(list) {
		for i := range r.Line.Outgoing {
			o := &r.Line.Outgoing[i]
			x := &answer{of: r.Line, o: o}
			if o.Body != nil {
				x.body, _ = o.Body.Bytes() // Read has checked that the body decodes
			}
			x.url = hidden(o.URL)
			a.all = append(a.all, x)
		}
	}
	return a
}

var stars = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\\\*){3,}`)
})

// hidden is a pattern for a text in which asterisks stand for secrets; nil if the text has none.
func hidden(text string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(text)
	if pattern := stars().ReplaceAllString(quoted, ".*"); pattern != quoted {
		return regexp.MustCompile("^" + pattern + "$")
	}
	return nil
}

// begin is called when a step begins.
func (a *answers) begin(step int, line *journal.Line) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step, a.own = step, map[*journal.Line]bool{}
	a.owns(line)
}

// owns adds to own a line of the file and, below it, the lines that it has caused.
func (a *answers) owns(line *journal.Line) {
	if a.own[line] {
		return
	}
	a.own[line] = true
	if line.Span == "" {
		return
	}
	for _, r := range a.below[line.Span] {
		a.owns(r.Line)
	}
}

// count returns how many requests were made.
func (a *answers) count() int {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.made
}

// fail makes the n-th request from now on fail.
func (a *answers) fail(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = a.made + n
}

// end lists the calls that were made. Calls with the same idempotency key count once.
func (a *answers) end() []any {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := append([]any(nil), a.calls...)
	for _, call := range a.keys {
		list = append(list, call)
	}
	return list
}

// of returns the transport for the outgoing requests of a Worker.
func (a *answers) of(worker string) http.RoundTripper { return way{a} }

type way struct{ *answers }

// noAnswer begins the error of a request without an answer.
const noAnswer = "the capture has no answer"

// maxAnswered is how much of a request's body is compared. Captures keep less.
const maxAnswered = 1 << 20

// RoundTrip implements [http.RoundTripper].
func (w way) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(io.LimitReader(req.Body, maxAnswered))
		_, more := io.Copy(io.Discard, req.Body)
		if err := errors.Join(err, more, req.Body.Close()); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.made++; w.made == w.failing {
		return nil, io.ErrUnexpectedEOF // a connection that was lost
	}
	x := w.find(req, body)
	if x == nil {
		text := fmt.Sprintf(noAnswer+" for %s %s", req.Method, req.URL)
		if near := w.nearest(req); near != nil {
			text += fmt.Sprintf("; the nearest one is for %s %s", near.o.Method, near.o.URL)
		}
		text += "; --live lets requests through"
		w.missed[w.step] = append(w.missed[w.step], text)
		return nil, &fetch.Refusal{Text: text}
	}
	x.used = true
	w.note(req, body)
	return x.response(req)
}

// find returns the answer to a request, nil if there is none. Answers of the event itself come before those of other
// events, answers to the same body before those to another one; then the order of the file decides.
func (a *answers) find(req *http.Request, body []byte) *answer {
	for _, reused := range []bool{false, true} {
		if reused && !a.reuse {
			break
		}
		for _, fits := range []func(*answer) bool{
			func(x *answer) bool { return a.own[x.of] && x.sameBody(body) },
			func(x *answer) bool { return a.own[x.of] },
			func(x *answer) bool { return x.sameBody(body) },
			func(x *answer) bool { return true },
		} {
			for _, x := range a.all {
				if x.used == reused && x.is(req) && fits(x) {
					return x
				}
			}
		}
	}
	return nil
}

// is tells whether x answers requests with this method and URL.
func (x *answer) is(req *http.Request) bool {
	if x.o.Method != req.Method || x.o.Answer == nil && x.o.Error == "" {
		return false
	}
	url := req.URL.String()
	return x.o.URL == url || x.url != nil && x.url.MatchString(url)
}

func (x *answer) sameBody(body []byte) bool {
	return bytes.Equal(x.body, body) || x.o.BodyCut && bytes.HasPrefix(body, x.body)
}

// nearest returns the answer whose method and URL resemble those of the request most, nil if there is none.
func (a *answers) nearest(req *http.Request) (best *answer) {
	least := 0
	for _, x := range a.all {
		d := distance(req.Method+" "+req.URL.String(), x.o.Method+" "+x.o.URL)
		if best == nil || d < least {
			best, least = x, d
		}
	}
	return best
}

// distance is the Levenshtein distance of the beginnings of two texts.
func distance(a, b string) int {
	const most = 200
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), most)], y[:min(len(y), most)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			cost := before
			if x[i] != y[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(y)]
}

func (x *answer) response(req *http.Request) (*http.Response, error) {
	if x.o.Answer == nil {
		for _, text := range []string{"refused", "EOF", "reset", "closed", "lost"} {
			if strings.Contains(x.o.Error, text) {
				return nil, io.ErrUnexpectedEOF
			}
		}
		return nil, errors.New(x.o.Error)
	}
	res := &http.Response{StatusCode: x.o.Answer.Status,
		Status: fmt.Sprint(x.o.Answer.Status, " ", http.StatusText(x.o.Answer.Status)), Proto: "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1, Header: http.Header{}, Request: req, Body: http.NoBody}
	for _, h := range x.o.Answer.Header {
		res.Header.Add(h[0], h[1])
	}
	res.Header.Del("Content-Length")
	if x.o.Answer.Body != nil {
		text, err := x.o.Answer.Body.Bytes()
		if err != nil {
			return nil, err
		}
		var body io.Reader = bytes.NewReader(text)
		res.ContentLength = int64(len(text))
		if x.o.Answer.Cut {
			body, res.ContentLength = io.MultiReader(body, cutOff{}), -1
		}
		res.Body = io.NopCloser(body)
	}
	return res, nil
}

// cutOff ends the body of an answer of which the file has only the beginning.
type cutOff struct{}

// Read implements io.Reader.
func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// note records a call that may change something elsewhere. The caller holds mu.
func (a *answers) note(req *http.Request, body []byte) {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return
	}
	call := map[string]any{"method": req.Method, "url": req.URL.String(), "body": string(body)}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if key := req.Header.Get(name); key != "" {
			call["idempotencyKey"] = key
			a.keys[req.Method+" "+req.URL.String()+" "+key] = call
			return
		}
	}
	a.calls = append(a.calls, call)
}
