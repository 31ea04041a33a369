package inspector

import (
	"encoding/json"
	"reflect"
	"sort"
	"strings"
)

// answered takes a method's result, or why there is none; it is called once.
type answered func(result any, err error)

// method is one of the protocol that is served.
type method struct {
	params, returns reflect.Type
	serve           func(c *client, params json.RawMessage, done answered)
}

// methods are all that are served, by their names: "Debugger.enable".
var methods = map[string]method{}

// serves adds a method that answers at once.
func serves[P, R any](name string, f func(c *client, p *P) (R, error)) {
	later(name, reflect.TypeFor[R](), func(c *client, p *P, done answered) { done(f(c, p)) })
}

// later adds a method that answers when it can.
func later[P any](name string, returns reflect.Type, f func(c *client, p *P, done answered)) {
	methods[name] = method{reflect.TypeFor[P](), returns, func(c *client, raw json.RawMessage, done answered) {
		p := new(P)
		if err := json.Unmarshal(raw, p); err != nil {
			done(nil, &errorReply{codeParams, "Invalid parameters: " + err.Error()})
			return
		}
		f(c, p, done)
	}}
}

// none is the result of a method that has none.
type none struct{}

// accepted adds methods that change nothing here: what they ask for is so already, or concerns a browser.
func accepted(names ...string) {
	for _, name := range names {
		serves(name, func(*client, *none) (none, error) { return none{}, nil })
	}
}

func init() {
	accepted("Debugger.setAsyncCallStackDepth", "Runtime.setAsyncCallStackDepth", "Debugger.setBlackboxedRanges",
		"Runtime.discardConsoleEntries", "Runtime.setCustomObjectFormatterEnabled",
		"Runtime.setMaxCallStackSizeToCapture", "Profiler.enable", "Profiler.disable",
		"HeapProfiler.enable", "HeapProfiler.disable",
		"Network.enable", "Log.enable", "Page.enable", "Inspector.enable", "NodeWorker.enable", "NodeRuntime.enable",
		"Target.setAutoAttach", "Target.setDiscoverTargets", "Overlay.enable", "DOM.enable", "CSS.enable",
		"Debugger.setBlackboxExecutionContexts", "NodeRuntime.notifyWhenWaitingForDisconnect")
}

// events are those that clients hear.
var events = []string{
	"Debugger.breakpointResolved", "Debugger.paused", "Debugger.resumed", "Debugger.scriptParsed",
	"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Runtime.executionContextCreated",
	"Runtime.executionContextDestroyed", "Runtime.executionContextsCleared",
}

// descriptor describes what is served, as clients ask for it to know which methods there are.
func descriptor() any {
	type named struct {
		Name        string  `json:"name"`
		Description string  `json:"description,omitempty"`
		Type        string  `json:"type,omitempty"`
		Optional    bool    `json:"optional,omitempty"`
		Parameters  []named `json:"parameters,omitempty"`
		Returns     []named `json:"returns,omitempty"`
	}
	type domain struct {
		Domain   string  `json:"domain"`
		Commands []named `json:"commands"`
		Events   []named `json:"events"`
		Types    []any   `json:"types"`
	}
	fields := func(t reflect.Type) (list []named) {
		if t == nil || t.Kind() != reflect.Struct {
			return nil
		}
		for i := range t.NumField() {
			name, rest, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" {
				list = append(list, named{Name: name, Type: kindOf(t.Field(i).Type),
					Optional: strings.Contains(rest, "omitempty")})
			}
		}
		return list
	}
	byName := map[string]*domain{}
	of := func(full string) (*domain, string) {
		name, rest, _ := strings.Cut(full, ".")
		if byName[name] == nil {
			byName[name] = &domain{Domain: name, Commands: []named{}, Events: []named{}, Types: []any{}}
		}
		return byName[name], rest
	}
	for full, m := range methods {
		d, name := of(full)
		d.Commands = append(d.Commands, named{Name: name, Parameters: fields(m.params), Returns: fields(m.returns)})
	}
	for _, full := range events {
		d, name := of(full)
		d.Events = append(d.Events, named{Name: name})
	}
	var list []*domain
	for _, d := range byName {
		sort.Slice(d.Commands, func(i, j int) bool { return d.Commands[i].Name < d.Commands[j].Name })
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Domain < list[j].Domain })
	return map[string]any{"version": map[string]string{"major": "1", "minor": "3"}, "domains": list}
}

// kindOf is the type of a JSON value.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	}
	return "object"
}
