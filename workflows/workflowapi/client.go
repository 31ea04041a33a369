package workflowapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"eddy/runtime/running"
	"eddy/workflows"
	"eddy/wrangler"
)

// ClientBase is the path of Cloudflare's REST API, below which are the routes of FLOW-200 to FLOW-205. Wrangler without
// --local, the SDK, and `eddy workflows` use it.
const ClientBase = running.Prefix + "/client/v4"

// version is the id of a workflow's only version.
const version = "local"

// Serves tells whether a path is the API's.
func Serves(path string) bool {
	rest, ok := strings.CutPrefix(path, ClientBase+"/accounts/")
	if !ok {
		return strings.HasPrefix(path, Base+"/") || strings.HasPrefix(path, oldBase+"/")
	}
	_, rest, _ = strings.Cut(rest, "/")
	return rest == "workflows" || strings.HasPrefix(rest, "workflows/")
}

// clientRoutes adds the routes of the REST API. All account ids name the same account.
func (a *API) clientRoutes() {
	const ws = ClientBase + "/accounts/{account}/workflows"
	const w, i = ws + "/{name}", ws + "/{name}/instances"
	one := func(f func(r *http.Request, e Listed) (any, any, error)) func(r *http.Request) (any, any, error) {
		return a.one(f, &refusal{http.StatusNotFound, 10200, "workflows.api.error.workflow.not_found"})
	}
	a.route("GET "+ws, a.clientWorkflows)
	a.route("GET "+w, one(clientWorkflow))
	a.route("PUT "+w, one(func(_ *http.Request, e Listed) (any, any, error) {
		return nil, nil, &refusal{http.StatusConflict, 10001, fmt.Sprintf("The workflow %q is defined by the "+
			"configuration of the Worker %q: change it there.", e.Name, e.Script)}
	}))
	a.route("DELETE "+w, one(removeAll))
	a.route("GET "+w+"/versions", one(versions))
	a.route("GET "+w+"/versions/{version}", one(oneVersion))
	a.route("GET "+i, one(clientInstances))
	a.route("GET "+i+"/{$}", one(clientInstances)) // wrangler's "latest"
	a.route("POST "+i, one(clientCreate))
	a.route("POST "+i+"/batch", one(clientBatch))
	a.route("POST "+i+"/batch/delete", one(removeSome))
	a.route("PUT "+i+"/terminate", one(terminateAll))
	a.route("GET "+i+"/{id}", one(instance))
	a.route("DELETE "+i+"/{id}", one(remove))
	a.route("PATCH "+i+"/{id}/status", one(change))
	a.route("POST "+i+"/{id}/events/{type}", one(send))
	a.route("GET "+i+"/{id}/step", one(stepResult))
}

// workflowID derives the id of a workflow from its name.
func workflowID(name string) string { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String() }

// clientView is a workflow in the form of the REST API. Its time of creation is that of its first instance.
func clientView(e Listed) (map[string]any, error) {
	newest, err := page(e, workflows.Filter{Limit: 1})
	if err != nil {
		return nil, err
	}
	oldest, err := page(e, workflows.Filter{Limit: 1, Oldest: true})
	if err != nil {
		return nil, err
	}
	made, triggered := stamp(0), any(nil)
	if len(oldest.List) > 0 {
		made, triggered = stamp(oldest.List[0].Created), stamp(newest.List[0].Created)
	}
	return map[string]any{"id": workflowID(e.Name), "name": e.Name, "script_name": e.Script, "class_name": e.Class,
		"created_on": made, "modified_on": made, "triggered_on": triggered, "instances": counts(newest)}, nil
}

func (a *API) clientWorkflows(r *http.Request) (any, any, error) {
	list := a.List()
	at, size := pageOf(r)
	rows := []map[string]any{}
	for _, e := range list[min((at-1)*size, len(list)):min(at*size, len(list))] {
		v, err := clientView(e)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, v)
	}
	return rows, map[string]int{"count": len(rows), "page": at, "per_page": size, "total_count": len(list)}, nil
}

func clientWorkflow(_ *http.Request, e Listed) (any, any, error) {
	v, err := clientView(e)
	return v, nil, err
}

func versionView(e Listed) (map[string]any, error) {
	v, err := clientView(e)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": version, "workflow_id": v["id"], "class_name": e.Class, "has_dag": false,
		"created_on": v["created_on"], "modified_on": v["modified_on"]}, nil
}

func versions(_ *http.Request, e Listed) (any, any, error) {
	v, err := versionView(e)
	return []any{v}, map[string]int{"count": 1, "page": 1, "per_page": defaultPage, "total_count": 1}, err
}

func oneVersion(r *http.Request, e Listed) (any, any, error) {
	if r.PathValue("version") != version {
		return nil, nil, &refusal{http.StatusNotFound, 10200, "workflows.api.error.version.not_found"}
	}
	v, err := versionView(e)
	return v, nil, err
}

// clientInstances lists instances (FLOW-201). The cursor counts the instances on the pages before.
func clientInstances(r *http.Request, e Listed) (any, any, error) {
	f, at, size, err := filterOf(r)
	if err != nil {
		return nil, nil, err
	}
	if c := r.URL.Query().Get("cursor"); c != "" {
		if f.Offset, err = strconv.Atoi(c); err != nil || f.Offset < 0 {
			return nil, nil, fmt.Errorf("cursor %q: expected that of an earlier page", c)
		}
	}
	p, err := page(e, f)
	if err != nil {
		return nil, nil, err
	}
	type row struct {
		ID       string  `json:"id"`
		Status   string  `json:"status"`
		Created  string  `json:"created_on"`
		Modified string  `json:"modified_on"`
		Started  *string `json:"started_on"`
		Ended    *string `json:"ended_on"`
		Version  string  `json:"version_id"`
		Workflow string  `json:"workflow_id"`
	}
	rows := []row{}
	for _, i := range p.List {
		rows = append(rows, row{i.ID, i.Status.String(), stamp(i.Created), stamp(i.Modified), moment(i.Started),
			moment(i.Ended), version, workflowID(e.Name)})
	}
	info := map[string]any{"count": len(rows), "page": at, "per_page": size, "total_count": p.Total,
		"total_pages": (p.Total + size - 1) / size}
	if next := f.Offset + len(rows); next < p.Total {
		info["cursor"] = strconv.Itoa(next)
	}
	return rows, info, nil
}

// asked describes, in the form of the REST API, an instance that a client wants to create.
type asked struct {
	ID        string          `json:"instance_id"`
	Params    json.RawMessage `json:"params"`
	Retention *struct {
		Success any `json:"success_retention"`
		Error   any `json:"error_retention"`
	} `json:"instance_retention"`
}

func (in asked) instance() (workflows.New, error) {
	n, err := newInstance(in.ID, in.Params)
	if err != nil || in.Retention == nil {
		return n, err
	}
	if n.Retention.Success, err = retention(in.Retention.Success); err == nil {
		n.Retention.Error, err = retention(in.Retention.Error)
	}
	return n, err
}

var errRetention = errors.New("Duration must be a number or a string in format '{{number}} {{unit}}' where unit " +
	"is second(s), minute(s), etc.") // FLOW-116

func retention(v any) (time.Duration, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case float64:
		if v >= 0 {
			return time.Duration(v) * time.Millisecond, nil
		}
	case string:
		if d, ok := wrangler.ParseDuration(v); ok {
			return d, nil
		}
	}
	return 0, errRetention
}

func clientCreate(r *http.Request, e Listed) (any, any, error) {
	var in asked
	if err := read(r, &in); err != nil {
		return nil, nil, err
	}
	n, err := in.instance()
	if err != nil {
		return nil, nil, err
	}
	errs, err := makeAll(e, []workflows.New{n})
	if err == nil && errs[0] != nil {
		err = &refusal{http.StatusConflict, 10405, "workflows.api.error.instance.already_exists"}
	}
	return made(e, n), nil, err
}

func made(e Listed, n workflows.New) map[string]string {
	return map[string]string{"id": n.ID, "status": workflows.Queued.String(), "version_id": version,
		"workflow_id": workflowID(e.Name)}
}

const maxBatch = 100

func clientBatch(r *http.Request, e Listed) (any, any, error) {
	var list []asked
	if err := read(r, &list); err != nil {
		return nil, nil, err
	}
	if len(list) > maxBatch {
		return nil, nil, errors.New("batchCreate only supports 100 instances at a time") // FLOW-113
	}
	var news []workflows.New
	for _, in := range list {
		n, err := in.instance()
		if err != nil {
			return nil, nil, err
		}
		news = append(news, n)
	}
	errs, err := makeAll(e, news)
	if err != nil {
		return nil, nil, err
	}
	rows := []map[string]string{}
	for i, n := range news {
		if errs[i] == nil {
			rows = append(rows, made(e, n))
		}
	}
	return rows, nil, nil
}

// terminateAll ends all instances, or all of one status.
func terminateAll(r *http.Request, e Listed) (any, any, error) {
	f, _, _, err := filterOf(r)
	if err != nil {
		return nil, nil, err
	}
	only := f.Status
	for s := workflows.Queued; s <= workflows.Waiting; s++ {
		if s.Final() || only != nil && *only != s {
			continue
		}
		for {
			p, err := page(e, workflows.Filter{Status: &s, Limit: maxPage})
			if err != nil {
				return nil, nil, err
			}
			if len(p.List) == 0 {
				break
			}
			for _, i := range p.List {
				if _, err := workflows.Call(e.Workflow, func(done func(struct{}, error)) {
					e.Workflow.Terminate(i.ID, false, done)
				}); err != nil && !errors.Is(err, workflows.ErrFinite) && !errors.Is(err, workflows.ErrNotFound) {
					return nil, nil, err
				}
			}
		}
	}
	return map[string]string{"status": "ok"}, nil, nil
}

// stepResult returns the result of one step (FLOW-205).
func stepResult(r *http.Request, e Listed) (any, any, error) {
	q := r.URL.Query()
	count := q.Get("count")
	if count == "" {
		count = "1"
	}
	kinds := map[string]string{"": "step", "do": "step", "step": "step", "sleep": "sleep",
		"waitForEvent": "waitForEvent"}
	kind, ok := kinds[q.Get("type")]
	if !ok {
		return nil, nil, fmt.Errorf("type %q: expected do, sleep or waitForEvent", q.Get("type"))
	}
	id := r.PathValue("id")
	info, err := workflows.Call(e.Workflow, func(done func(*workflows.Info, error)) {
		e.Workflow.Status(id, true, done)
	})
	if err != nil {
		return nil, nil, found(id, err)
	}
	all := steps(info.History)
	at := slices.IndexFunc(all, func(s step) bool { return s["type"] == kind && s["name"] == q.Get("name")+"-"+count })
	if at < 0 {
		return nil, nil, &refusal{http.StatusNotFound, 10400, "workflows.api.error.step.not_found"}
	}
	s := all[at]
	status, output := "running", s["output"]
	failure := s["error"]
	if attempts, ok := s["attempts"].([]*attempt); ok && len(attempts) > 0 {
		failure = attempts[len(attempts)-1].Error
	}
	switch {
	case s["success"] == true, s["finished"] == true && failure == nil:
		status, failure = "complete", nil
	case s["success"] == false, s["finished"] == true:
		status = "errored"
	case kind != "step":
		status = "waiting"
	}
	return map[string]any{"status": status, "output": output, "error": failure}, nil, nil
}
