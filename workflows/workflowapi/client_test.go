package workflowapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"eddy/runtime/clock"
	"eddy/workflows"
)

// idle is a runner whose lives do nothing.
type idle struct{}

func (idle) Run(*workflows.Life) (workflows.Stop, bool) { return func(error, int) {}, true }

// The routes of the REST API (FLOW-200, FLOW-201, FLOW-205): what wrangler asks without --local, and the SDK.
func TestClientRoutes(t *testing.T) {
	c := clock.NewVirtual(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC), 1)
	c.Pause()
	w := workflows.Open(workflows.Options{Name: "flow", Path: filepath.Join(t.TempDir(), "flow.sqlite"), Clock: c})
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	w.Attach(idle{})
	a := New(func() []Listed { return []Listed{{Name: "flow", Script: "w", Class: "Flow", Workflow: w}} })
	id := workflowID("flow")
	ask := func(line, body, want string) {
		t.Helper()
		method, path, _ := strings.Cut(line, " ")
		rec := httptest.NewRecorder()
		path = ClientBase + "/accounts/any/workflows" + path
		if !Serves(path) {
			t.Fatalf("%s is not the API's", path)
		}
		a.ServeHTTP(rec, httptest.NewRequest(method, path, strings.NewReader(body)))
		var all struct {
			Success bool
			Result  json.RawMessage
			Info    json.RawMessage `json:"result_info"`
			Errors  []struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &all); err != nil {
			t.Fatalf("%s: %v: %s", line, err, rec.Body)
		}
		got := string(all.Result)
		for _, e := range all.Errors {
			got = fmt.Sprint(rec.Code, " ", e.Code, " ", e.Message)
		}
		if all.Info != nil && strings.Contains(want, " info ") {
			got += " info " + string(all.Info)
		}
		if all.Success != (rec.Code == http.StatusOK) {
			t.Errorf("%s: success %v with status %d", line, all.Success, rec.Code)
		}
		got = strings.ReplaceAll(regexp.MustCompile(`2026-04-01T12:00:00\.000Z`).ReplaceAllString(got, "NOW"), id,
			"FLOW")
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
	none := `{"complete":0,"errored":0,"paused":0,"queued":0,"running":0,"terminated":0,"waiting":0,` +
		`"waitingForPause":0}`
	some := strings.Replace(none, `"running":0`, `"running":2`, 1)
	ask("GET ", "", `[{"class_name":"Flow","created_on":"1970-01-01T00:00:00.000Z","id":"FLOW","instances":`+none+
		`,"modified_on":"1970-01-01T00:00:00.000Z","name":"flow","script_name":"w","triggered_on":null}]`)
	ask("GET /none", "", "404 10200 workflows.api.error.workflow.not_found")
	ask("PUT /flow", `{}`,
		`409 10001 The workflow "flow" is defined by the configuration of the Worker "w": change it `+
			`there.`)
	ask("POST /flow/instances", `{"instance_id":"a","params":[1]}`,
		`{"id":"a","status":"queued","version_id":"local","workflow_id":"FLOW"}`)
	ask("POST /flow/instances", `{"instance_id":"a"}`, "409 10405 workflows.api.error.instance.already_exists")
	ask("POST /flow/instances", `{"instance_retention":{"success_retention":"soon"}}`, "400 10001 Duration must be a "+
		"number or a string in format '{{number}} {{unit}}' where unit is second(s), minute(s), etc.")
	ask("POST /flow/instances/batch", `[{"instance_id":"a"},{"instance_id":"b"}]`,
		`[{"id":"b","status":"queued","version_id":"local","workflow_id":"FLOW"}]`)
	ask("GET /flow", "", `{"class_name":"Flow","created_on":"NOW","id":"FLOW","instances":`+some+
		`,"modified_on":"NOW","name":"flow","script_name":"w","triggered_on":"NOW"}`)
	ask("GET /flow/versions", "", `[{"class_name":"Flow","created_on":"NOW","has_dag":false,"id":"local",`+
		`"modified_on":"NOW","workflow_id":"FLOW"}]`)
	row := func(id string) string {
		return `{"id":"` + id + `","status":"running","created_on":"NOW","modified_on":"NOW","started_on":"NOW",` +
			`"ended_on":null,"version_id":"local","workflow_id":"FLOW"}`
	}
	ask("GET /flow/instances?per_page=1", "", `[`+row("b")+
		`] info {"count":1,"cursor":"1","page":1,"per_page":1,"total_count":2,"total_pages":2}`)
	ask("GET /flow/instances?per_page=1&cursor=1", "", `[`+row("a")+
		`] info {"count":1,"page":1,"per_page":1,"total_count":2,"total_pages":2}`)
	ask("GET /flow/instances/?date_end=2026-03-31T00:00:00Z", "", `[]`)
	ask("GET /flow/instances?status=odd", "", `400 10001 status "odd": expected queued, running, paused, errored, `+
		`terminated, complete, waiting or waitingForPause`)
	ask("PATCH /flow/instances/a/status", `{"status":"pause"}`, `{"status":"paused","timestamp":"NOW"}`)
	ask("GET /flow/instances/a/step?name=x", "", "404 10400 workflows.api.error.step.not_found")
	ask("POST /flow/instances/b/events/go", `{"x":1}`, `{"success":true}`)
	ask("PUT /flow/instances/terminate?status=paused", "", `{"status":"ok"}`)
	ask("GET /flow/instances?status=terminated", "", `[`+strings.Replace(strings.Replace(row("a"), "running",
		"terminated", 1), `"ended_on":null`, `"ended_on":"NOW"`, 1)+`]`)
	ask("PUT /flow/instances/terminate", "", `{"status":"ok"}`)
	ask("POST /flow/instances/batch/delete", `{"instances":["a","b","a"]}`,
		`{"deleted":[{"id":"a"},{"id":"b"}],"errors":[{"id":"a","code":10400,`+
			`"message":"workflows.api.error.instance.not_found"}]}`)
}
