package explorer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"eddy/runtime/running"
)

// page is one kind of page. A model that is an [elsewhere] sends the visitor there.
type page struct {
	// path is below Base, in the form of [http.ServeMux]. template is the file below pages, without its extension.
	path, template string
	// about says what it shows, for the OpenAPI document.
	about string
	// query names the parameters of the query, with what each is for.
	query []field
	model func(r *http.Request) (any, error)
	// result is what model returns.
	result reflect.Type
}

// of makes a page of a function that returns a model.
func of[T any](path, template, about string, model func(r *http.Request) (*T, error), query ...field) page {
	return page{path: path, template: template, about: about, query: query, result: reflect.TypeFor[T](),
		model: func(r *http.Request) (any, error) {
			m, err := model(r)
			if err != nil {
				return nil, err
			}
			return m, nil
		}}
}

// field is a parameter of a page or of an act.
type field struct{ name, about string }

// elsewhere is an error that sends the visitor to another page.
type elsewhere string

// Error implements error.
func (e elsewhere) Error() string { return "see " + string(e) }

// failure is a refusal with a status of HTTP. details are lines that follow.
type failure struct {
	status  int
	text    string
	details []string
}

// Error implements error.
func (f *failure) Error() string { return f.text }

func refused(format string, args ...any) error {
	return &failure{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

func missing(format string, args ...any) error {
	return &failure{status: http.StatusNotFound, text: fmt.Sprintf(format, args...)}
}

// view is what a template gets.
type view struct {
	Path  string // of the page, with its query
	Token string
	Said  *saying
	Nav   []link
	// Node is the node of a cluster from which the page comes, "" outside.
	Node string
	// Name is the template's, which the style sheet may look at.
	Name string
	// Now is the session's time where that is not the machine's: then the page counts down from it.
	Now  string
	Data any
}

// link is an entry of the navigation.
type link struct {
	URL, Text string
	Here      bool
	// parts are first parts of paths that belong to it besides its own.
	parts []string
}

var navigation = []link{
	{URL: Base, Text: "Overview"}, {URL: Base + "nodes", Text: "Nodes"}, {URL: Base + "queues", Text: "Queues"},
	{URL: Base + "dead-letters", Text: "Dead letters"}, {URL: Base + "objects", Text: "Objects"},
	{URL: Base + "lanes", Text: "Lanes"}, {URL: Base + "events", Text: "Events"}, {URL: Base + "time", Text: "Time"},
	{URL: Base + "stores", Text: "Stores", parts: []string{"kv", "d1", "r2", "secrets"}},
	{URL: Base + "workflows", Text: "Workflows"}, {URL: Base + "email", Text: "E-mail"},
	{URL: Base + "work", Text: "Work queue"},
}

func (x *Server) view(r *http.Request, name string, data any) view {
	v := view{Path: r.URL.RequestURI(), Token: x.token, Name: name, Data: data, Said: x.said.take(r)}
	if now := x.now(); time.Since(now).Abs() > 2*time.Second {
		v.Now = stamp(now)
	}
	if x.o.Cluster != nil {
		v.Node = x.o.Cluster.Node
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Base), "/")
	for _, l := range navigation {
		if l.URL == Base+"work" && x.o.Work == nil || l.URL == Base+"nodes" && x.o.Cluster == nil {
			continue
		}
		l.Here = Base+first == l.URL || slices.Contains(l.parts, first)
		v.Nav = append(v.Nav, l)
	}
	return v
}

// page makes the handler of a page.
func (x *Server) page(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m, err := p.model(r)
		var there elsewhere
		switch {
		case errors.As(err, &there):
			header(w)
			http.Redirect(w, r, string(there), http.StatusSeeOther)
		case err != nil:
			x.refuse(w, r, err)
		case wantsJSON(r):
			answerJSON(w, http.StatusOK, m)
		default:
			x.show(w, r, http.StatusOK, p.template, m)
		}
	}
}

// show renders a template. A client that has the same page already gets none (ETag).
func (x *Server) show(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	t, err := parsed(name)
	var b bytes.Buffer
	if err == nil {
		err = t.Execute(&b, x.view(r, name, data))
	}
	header(w)
	if err != nil {
		x.o.Failed(fmt.Errorf("explorer: page %s: %w", name, err))
		http.Error(w, "eddy could not make this page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(b.Bytes())
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusOK {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the visitor has gone
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	header(w)
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}

// trouble is what a failed request shows.
type trouble struct {
	Status  int      `json:"status"`
	Message string   `json:"message"`
	Details []string `json:"details,omitempty"`
	Back    string   `json:"-"`
}

// refuse answers with an error: as a page, or as the control API does.
func (x *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	t := trouble{Status: http.StatusInternalServerError, Message: err.Error(), Back: back(r)}
	var mine *failure
	var theirs *running.Refusal
	switch {
	case errors.As(err, &mine):
		t.Status, t.Message, t.Details = mine.status, mine.text, mine.details
	case errors.As(err, &theirs):
		t.Status, t.Message, t.Details = theirs.Status, theirs.Message, theirs.Details
	default:
		x.o.Failed(fmt.Errorf("explorer: %s %s: %w", r.Method, r.URL.Path, err))
	}
	if wantsJSON(r) || isJSON(r) {
		answerJSON(w, t.Status, running.ErrorBody{Error: running.FailureDetail{Code: t.Status, Message: t.Message,
			Details: t.Details}})
		return
	}
	if r.Method == http.MethodGet && r.Header.Get("Eddy-Live") != "" {
		// The page's own script looks again at what is there no more: the page stays, and says so.
		header(w)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	x.show(w, r, t.Status, "trouble", t)
}

// sayings are what acts have said and no page has shown yet. A page is sent to with the key of one, so that nobody can
// put words into it by a link.
type sayings struct {
	mu   sync.Mutex
	last [64]saying // guarded by mu, as is next
	next int
}

type saying struct {
	key   string
	Text  string
	Wrong bool
}

// keep notes a text and returns its key.
func (s *sayings) keep(key, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[s.next%len(s.last)] = saying{key: key, Text: text}
	s.next++
}

func (s *sayings) take(r *http.Request) *saying {
	key := r.URL.Query().Get("said")
	if key == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.last {
		if one.key == key {
			return &one
		}
	}
	return nil
}
