package runtime

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Each kind without a local form starts in silence, and reaches whoever is named: a Worker by fetch() and, if it is no
// class over it, by method; a URL; a file of answers. Without anybody the use says what to do, and the banner tells the
// three cases apart (BIND-181, BIND-182, BIND-62).
func TestStandInKinds(t *testing.T) {
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "url "+r.URL.Path)
	}))
	defer away.Close()
	kinds := map[string]string{
		"ai": `{ "binding": "%s" }`, "media": `{ "binding": "%s" }`, "stream": `{ "binding": "%s" }`,
		"ai_search":            `[{ "binding": "%s", "instance_name": "i" }]`,
		"ai_search_namespaces": `[{ "binding": "%s", "namespace": "n" }]`,
		"flagship":             `[{ "binding": "%s", "app_id": "a" }]`,
		"artifacts":            `[{ "binding": "%s", "namespace": "n" }]`,
		"agent_memory":         `[{ "binding": "%s", "namespace": "n" }]`,
		"vpc_services":         `[{ "binding": "%s", "service_id": "v" }]`,
		"vpc_networks":         `[{ "binding": "%s", "network_id": "v" }]`,
		"logfwdr":              `{ "bindings": [{ "name": "%s", "destination": "d" }] }`,
	}
	classes := map[string]bool{"ai": true, "media": true}
	var config, settings []string
	for kind, form := range kinds {
		config = append(config, fmt.Sprintf("%q: "+form, kind, kind))
	}
	p := newProject(t, "app.jsonc", `{"name": "app", "main": "app.js", "compatibility_date": "2026-04-01", `+
		strings.Join(config, ", ")+` }`,
		"app.js", script("standinkinds", "app.js"),
		"other.jsonc", `{"name": "other", "main": "other.js", "compatibility_date": "2026-04-01"}`,
		"other.js", script("standinkinds", "other.js"),
		"answers.jsonl", `{"request": {"method": "GET"}, "response": {"body": "replayed"}}`+"\n"+
			`{"request": {}, "response": {"body": "replayed"}}`+"\n")
	path := func(kind string) string {
		if kind == "media" {
			return "/transform" // it is a class without fetch()
		}
		return "/path"
	}
	for _, how := range []struct{ setting, want string }{{"", ""}, {`"worker": "other"`, "worker "},
		{`"url": "` + away.URL + `"`, "url "}, {`"replay": "answers.jsonl"`, "replayed"}} {
		settings = settings[:0]
		for kind := range kinds {
			if how.setting != "" {
				settings = append(settings, fmt.Sprintf("%q: { %s }", kind, how.setting))
			}
		}
		p.write("eddy.jsonc", `{ "bindings": { `+strings.Join(settings, ", ")+` } }`)
		s := p.serve(using("app", "other"))
		for kind := range kinds {
			_, got := s.ask("GET", "/"+kind, "")
			want := how.want
			if strings.HasSuffix(want, " ") {
				want += path(kind)
			}
			if how.want == "" && !strings.HasPrefix(got, "Binding "+kind+" needs to be run remotely: ") ||
				how.want != "" &&
					got != want {
				t.Errorf("%s by %s: %s", kind, how.setting, got)
			}
			if how.want == "worker " && !classes[kind] {
				s.expect("/"+kind+"?method", "method said")
			}
		}
		s.end()
	}
}
