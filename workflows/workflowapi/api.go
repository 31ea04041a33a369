package workflowapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"eddy/workflows"
)

// Base is the path of the API that wrangler's commands with --local use. oldBase is its path up to about wrangler
// 4.100.
const (
	Base    = "/cdn-cgi/local/explorer/api"
	oldBase = "/cdn-cgi/explorer/api"
)

// Listed is a workflow of the session.
type Listed struct {
	Name, Script, Class string
	Workflow            workflows.Commands
}

// maxBody bounds the body of a request: a payload of 1 MiB (FLOW-63) with its surroundings.
const maxBody = 2 << 20

// API is the handler. List returns the workflows that the session has now.
type API struct {
	List func() []Listed
	mux  *http.ServeMux // made at the first request: most sessions end without one
	once sync.Once
}

// New makes the API.
func New(list func() []Listed) *API {
	return &API{List: list}
}

func (a *API) routes() {
	a.mux = http.NewServeMux()
	a.explorerRoutes(Base)
	a.explorerRoutes(oldBase)
	a.clientRoutes()
}

// explorerRoutes adds the routes of FLOW-206.
func (a *API) explorerRoutes(base string) {
	one := func(f func(r *http.Request, e Listed) (any, any, error)) func(r *http.Request) (any, any, error) {
		return a.one(f, nil)
	}
	w := base + "/workflows/{name}"
	i := w + "/instances"
	a.route("GET "+base+"/workflows", a.workflows)
	a.route("GET "+w, one(describe))
	a.route("DELETE "+w, one(removeAll))
	a.route("GET "+i, one(instances))
	a.route("POST "+i, one(create))
	a.route("POST "+i+"/batch/delete", one(removeSome))
	a.route("GET "+i+"/{id}", one(instance))
	a.route("DELETE "+i+"/{id}", one(remove))
	a.route("PATCH "+i+"/{id}/status", one(change))
	a.route("POST "+i+"/{id}/events/{type}", one(send))
}

func (a *API) route(pattern string, f func(r *http.Request) (any, any, error)) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		result, info, err := f(r)
		answer(w, result, info, err)
	})
}

// one makes a handler of a function about one workflow, whose name is in the path. unknown, if set, answers when there
// is no workflow of that name.
func (a *API) one(f func(r *http.Request, e Listed) (any, any, error), unknown *refusal) func(r *http.Request) (
	any, any, error) {
	return func(r *http.Request) (any, any, error) {
		name := r.PathValue("name")
		for _, e := range a.List() {
			if e.Name == name {
				return f(r, e)
			}
		}
		if unknown != nil {
			return nil, nil, unknown
		}
		return nil, nil, &refusal{http.StatusNotFound, 10501, fmt.Sprintf("Workflow '%s' not found.", name)}
	}
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.once.Do(a.routes)
	if _, pattern := a.mux.Handler(r); pattern == "" {
		answer(w, nil, nil, &refusal{http.StatusNotFound, 10000, "Not found."})
		return
	}
	a.mux.ServeHTTP(w, r)
}

// refusal is an error with an HTTP status and a code.
type refusal struct {
	status, code int
	text         string
}

func (r *refusal) Error() string { return r.text }

// answer writes the envelope (FLOW-206).
func answer(w http.ResponseWriter, result, info any, err error) {
	type message struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	body := struct {
		Success  bool      `json:"success"`
		Result   any       `json:"result"`
		Errors   []message `json:"errors"`
		Messages []message `json:"messages"`
		Info     any       `json:"result_info,omitempty"`
	}{err == nil, result, []message{}, []message{}, info}
	status := http.StatusOK
	if err != nil {
		status = http.StatusBadRequest
		code := 10001
		var r *refusal
		if errors.As(err, &r) {
			status, code = r.status, r.code
		}
		body.Errors = append(body.Errors, message{code, err.Error()})
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone
}

// found replaces ErrNotFound by the API's error for an unknown instance.
func found(id string, err error) error {
	if errors.Is(err, workflows.ErrNotFound) {
		return &refusal{http.StatusNotFound, 10501, fmt.Sprintf("Workflow instance '%s' not found.", id)}
	}
	return err
}

func page(e Listed, f workflows.Filter) (workflows.Page, error) {
	return workflows.Call(e.Workflow, func(done func(workflows.Page, error)) { e.Workflow.List(f, done) })
}

func counts(p workflows.Page) map[string]int {
	all := map[string]int{}
	for s := workflows.Queued; s <= workflows.Waiting; s++ {
		all[s.String()] = p.ByStatus[s]
	}
	return all
}

func (a *API) workflows(*http.Request) (any, any, error) {
	type row struct {
		Name   string `json:"name"`
		Class  string `json:"class_name"`
		Script string `json:"script_name"`
	}
	rows := []row{}
	for _, e := range a.List() {
		rows = append(rows, row{e.Name, e.Class, e.Script})
	}
	return rows, map[string]int{"count": len(rows)}, nil
}

func describe(_ *http.Request, e Listed) (any, any, error) {
	p, err := page(e, workflows.Filter{})
	return map[string]any{"name": e.Name, "class_name": e.Class, "script_name": e.Script, "instances": counts(p)}, nil,
		err
}

const defaultPage, maxPage = 25, 1000

// pageOf reads the page that a request asks for.
func pageOf(r *http.Request) (at, size int) {
	number := func(key string, otherwise, most int) int {
		n, err := strconv.Atoi(r.URL.Query().Get(key))
		if err != nil || n < 1 {
			return otherwise
		}
		return min(n, most)
	}
	return number("page", 1, 1<<30), number("per_page", defaultPage, maxPage)
}

// filterOf reads the filter and the page that a request asks for.
func filterOf(r *http.Request) (f workflows.Filter, at, size int, err error) {
	q := r.URL.Query()
	at, size = pageOf(r)
	f = workflows.Filter{Offset: (at - 1) * size, Limit: size}
	if word := q.Get("status"); word != "" {
		s, ok := workflows.ParseStatus(word)
		if !ok {
			return f, 0, 0, fmt.Errorf("status %q: expected queued, running, paused, errored, terminated, complete, "+
				"waiting or waitingForPause", word)
		}
		f.Status = &s
	}
	for key, to := range map[string]*int64{"date_start": &f.From, "date_end": &f.Until} {
		if text := q.Get(key); text != "" {
			t, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return f, 0, 0, fmt.Errorf("%s %q: expected a time such as 2026-01-01T13:00:00Z", key, text)
			}
			*to = t.UnixMilli()
		}
	}
	return f, at, size, nil
}

func instances(r *http.Request, e Listed) (any, any, error) {
	f, at, size, err := filterOf(r)
	if err != nil {
		return nil, nil, err
	}
	p, err := page(e, f)
	if err != nil {
		return nil, nil, err
	}
	type row struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Created string `json:"created_on"`
	}
	rows := []row{}
	for _, i := range p.List {
		rows = append(rows, row{i.ID, i.Status.String(), stamp(i.Created)})
	}
	return rows, map[string]any{"count": len(rows), "page": at, "per_page": size, "total_count": p.Total,
		"total_pages": (p.Total + size - 1) / size, "status_counts": counts(p)}, nil
}

// moment is stamp for a time that may not have come, which is nil.
func moment(ms int64) *string {
	if ms == 0 {
		return nil
	}
	s := stamp(ms)
	return &s
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }

// instanceID matches the ids that an instance may have (FLOW-110).
var instanceID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9-_]{0,99}$`)
})

func create(r *http.Request, e Listed) (any, any, error) {
	var in struct {
		ID     string          `json:"id"`
		Other  string          `json:"instance_id"`
		Params json.RawMessage `json:"params"`
	}
	if err := read(r, &in); err != nil {
		return nil, nil, err
	}
	if in.ID == "" {
		in.ID = in.Other
	}
	n, err := newInstance(in.ID, in.Params)
	if err != nil {
		return nil, nil, err
	}
	errs, err := makeAll(e, []workflows.New{n})
	if err == nil {
		err = errs[0]
	}
	return map[string]string{"id": n.ID}, nil, err
}

// newInstance describes the instance that a client wants to create. It makes an id if the client gave none.
func newInstance(id string, params json.RawMessage) (workflows.New, error) {
	if id == "" {
		id = uuid.NewString()
	}
	if !instanceID().MatchString(id) {
		return workflows.New{}, errors.New("Workflow instance has invalid id") // the platform's text
	}
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	return workflows.New{ID: id, Trigger: workflows.ByAPI, Payload: params, Shown: string(params)}, nil
}

func makeAll(e Listed, list []workflows.New) ([]error, error) {
	return workflows.Call(e.Workflow, func(done func([]error, error)) { e.Workflow.Create(list, done) })
}

func read(r *http.Request, into any) error {
	b, err := io.ReadAll(r.Body)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fmt.Errorf("the body is not what was expected: %w", err)
	}
	return nil
}

func ask(f func(id string, done func(struct{}, error)), w workflows.Commands, id string) error {
	_, err := workflows.Call(w, func(done func(struct{}, error)) { f(id, done) })
	return found(id, err)
}

func remove(r *http.Request, e Listed) (any, any, error) {
	return map[string]bool{"success": true}, nil, ask(e.Workflow.Delete, e.Workflow, r.PathValue("id"))
}

func removeSome(r *http.Request, e Listed) (any, any, error) {
	var in struct{ Instances []string }
	if err := read(r, &in); err != nil {
		return nil, nil, err
	}
	type gone struct {
		ID string `json:"id"`
	}
	type missing struct {
		ID      string `json:"id"`
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	deleted, errs := []gone{}, []missing{}
	for _, id := range in.Instances {
		if err := ask(e.Workflow.Delete, e.Workflow, id); err != nil {
			errs = append(errs, missing{id, 10400, "workflows.api.error.instance.not_found"})
		} else {
			deleted = append(deleted, gone{id})
		}
	}
	return map[string]any{"deleted": deleted, "errors": errs}, nil, nil
}

func removeAll(_ *http.Request, e Listed) (any, any, error) {
	for {
		p, err := page(e, workflows.Filter{Limit: maxPage})
		if err != nil || len(p.List) == 0 {
			return map[string]any{"status": "ok", "success": nil}, nil, err
		}
		for _, i := range p.List {
			if err := ask(e.Workflow.Delete, e.Workflow, i.ID); err != nil {
				return nil, nil, err
			}
		}
	}
}

func change(r *http.Request, e Listed) (any, any, error) {
	var in struct {
		Status, Action string
		Rollback       bool
		From           *struct {
			Name, Type string
			Count      int
		}
	}
	if err := read(r, &in); err != nil {
		return nil, nil, err
	}
	if in.Action == "" {
		in.Action = in.Status
	}
	w, id := e.Workflow, r.PathValue("id")
	var err error
	switch in.Action {
	case "pause":
		err = ask(w.Pause, w, id)
	case "resume":
		err = ask(w.Resume, w, id)
	case "terminate":
		err = ask(func(id string, done func(struct{}, error)) { w.Terminate(id, in.Rollback, done) }, w, id)
	case "restart":
		var from *workflows.StepID
		if in.From != nil {
			from = &workflows.StepID{Name: in.From.Name, Count: max(in.From.Count, 1),
				Kind: map[string]workflows.Kind{"sleep": workflows.Sleep, "waitForEvent": workflows.Wait}[in.From.Type]}
		}
		err = ask(func(id string, done func(struct{}, error)) { w.Restart(id, from, done) }, w, id)
	default:
		err = fmt.Errorf("status %q: expected pause, resume, restart or terminate", in.Action)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := workflows.Call(w, func(done func(*workflows.Info, error)) { w.Status(id, false, done) })
	if err != nil {
		return nil, nil, found(id, err)
	}
	return map[string]string{"status": info.Status.String(), "timestamp": stamp(info.Modified)}, nil, nil
}

func send(r *http.Request, e Listed) (any, any, error) {
	payload := json.RawMessage("null")
	if err := read(r, &payload); err != nil {
		return nil, nil, err
	}
	sent := workflows.Sent{Type: r.PathValue("type"), Payload: payload, Shown: string(payload)}
	return map[string]bool{"success": true}, nil, ask(func(id string, done func(struct{}, error)) {
		e.Workflow.SendEvent(id, sent, done)
	}, e.Workflow, r.PathValue("id"))
}
