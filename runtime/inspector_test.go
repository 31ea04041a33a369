package runtime

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"eddy/runtime/inspector"
)

var updateInspector = flag.Bool("inspector.update", false, "write what the debugger's transcripts give into them")

// debugged is a session with a debugger.
type debugged struct {
	*served
	conn    *websocket.Conn
	number  int
	replies map[int]json.RawMessage
	pauses  []json.RawMessage
	console []string
	scripts map[string]string // URLs by ids
	points  []string
	answers chan string
	out     strings.Builder
	event   pauseEvent
}

type pauseEvent struct {
	Reason     string
	CallFrames []struct {
		CallFrameID, FunctionName string
		Location                  struct {
			ScriptID     string
			LineNumber   int
			ColumnNumber int
		}
		ScopeChain []struct {
			Type, Name string
			Object     remoteValue
		}
	}
	AsyncStackTrace *struct {
		CallFrames []struct {
			FunctionName, URL string
			LineNumber        int
		}
	}
	Data *struct {
		Description string
		Uncaught    bool
	}
}

type remoteValue struct {
	Type, Subtype, Description, ObjectID, UnserializableValue string
	Value                                                     json.RawMessage
}

func (v remoteValue) String() string {
	switch {
	case v.UnserializableValue != "":
		return v.UnserializableValue
	case v.ObjectID != "":
		first, _, _ := strings.Cut(v.Description, "\n")
		return first
	case v.Value != nil:
		return string(v.Value)
	}
	return v.Type
}

// debug starts the project on the machine's clock and connects a debugger to it.
func debug(t *testing.T, change ...func(*Options)) *debugged {
	return debugProject(newProject(t, "wrangler.jsonc", script("inspector", "wrangler.jsonc"), "lib.ts",
		script("inspector", "lib.ts"), "index.ts", script("inspector", "index.ts")), change...)
}

func debugProject(p *project, change ...func(*Options)) *debugged {
	t := p.t
	debugger := inspector.New(inspector.Options{Port: -1})
	s := p.serve(append([]func(*Options){func(o *Options) { o.Clock, o.Inspector = nil, debugger }}, change...)...)
	t.Cleanup(debugger.Close)
	d := &debugged{served: s, replies: map[int]json.RawMessage{}, scripts: map[string]string{},
		answers: make(chan string, 1)}
	d.connect(debugger)
	return d
}

func (d *debugged) connect(debugger *inspector.Inspector) {
	web := httptest.NewServer(debugger)
	d.t.Cleanup(web.Close)
	conn, _, err := websocket.Dial(context.Background(), web.URL, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	conn.SetReadLimit(1 << 24)
	d.t.Cleanup(func() { conn.CloseNow() })
	d.conn = conn
	d.call("Runtime.enable", nil, nil)
	d.call("Debugger.enable", nil, nil)
}

// read takes the next message of the debugger.
func (d *debugged) read() {
	d.t.Helper()
	_, data, err := d.conn.Read(context.Background())
	if err != nil {
		d.t.Fatalf("the debugger says no more: %v\n%s", err, d.out.String())
	}
	var m struct {
		ID     int
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(data, &m); err != nil {
		d.t.Fatal(err)
	}
	switch {
	case m.ID > 0:
		d.replies[m.ID] = data
	case m.Method == "Debugger.paused":
		d.pauses = append(d.pauses, m.Params)
	case m.Method == "Debugger.scriptParsed":
		var s struct{ ScriptID, URL string }
		_ = json.Unmarshal(m.Params, &s)
		d.scripts[s.ScriptID] = s.URL
	case m.Method == "Runtime.consoleAPICalled":
		var e struct{ Args []remoteValue }
		_ = json.Unmarshal(m.Params, &e)
		d.console = append(d.console, fmt.Sprint(e.Args))
	}
}

// call asks the debugger for something; its error becomes a line.
func (d *debugged) call(method string, params, into any) bool {
	d.t.Helper()
	d.number++
	if params == nil {
		params = struct{}{}
	}
	data, err := json.Marshal(map[string]any{"id": d.number, "method": method, "params": params})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.conn.Write(context.Background(), websocket.MessageText, data); err != nil {
		d.t.Fatal(err)
	}
	for d.replies[d.number] == nil {
		d.read()
	}
	var reply struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.Unmarshal(d.replies[d.number], &reply); err != nil {
		d.t.Fatal(err)
	}
	if reply.Error != nil {
		fmt.Fprintln(&d.out, "error:", reply.Error.Message)
		return false
	}
	if into != nil {
		if err := json.Unmarshal(reply.Result, into); err != nil {
			d.t.Fatal(err)
		}
	}
	return true
}

func (d *debugged) place(script string, line int) string {
	return path.Base(d.scripts[script]) + ":" + strconv.Itoa(line+1)
}

// paused waits for the next pause and shows it.
func (d *debugged) paused() {
	for len(d.pauses) == 0 {
		d.read()
	}
	d.event = pauseEvent{}
	if err := json.Unmarshal(d.pauses[0], &d.event); err != nil {
		d.t.Fatal(err)
	}
	d.pauses = d.pauses[1:]
	var frames []string
	for _, f := range d.event.CallFrames {
		frames = append(frames, f.FunctionName+" "+d.place(f.Location.ScriptID, f.Location.LineNumber))
	}
	fmt.Fprintf(&d.out, "%s: %s", d.event.Reason, strings.Join(frames, " < "))
	if a := d.event.AsyncStackTrace; a != nil {
		for _, f := range a.CallFrames {
			fmt.Fprintf(&d.out, " << %s %s:%d", f.FunctionName, path.Base(f.URL), f.LineNumber+1)
		}
	}
	if data := d.event.Data; data != nil {
		first, _, _ := strings.Cut(data.Description, "\n")
		fmt.Fprintf(&d.out, " (%s, uncaught %t)", first, data.Uncaught)
	}
	d.out.WriteString("\n")
}

// scopes shows the variables of a frame, without those of the file and the global ones.
func (d *debugged) scopes(frame int) {
	for _, s := range d.event.CallFrames[frame].ScopeChain {
		if s.Type == "global" || s.Type == "module" {
			continue
		}
		fmt.Fprintf(&d.out, "%s:", s.Type)
		d.properties(s.Object.ObjectID)
	}
}

func (d *debugged) properties(object string) {
	var found struct {
		Result []struct {
			Name  string
			Value *remoteValue
		}
	}
	d.call("Runtime.getProperties", map[string]any{"objectId": object, "ownProperties": true}, &found)
	for _, p := range found.Result {
		if p.Value != nil {
			fmt.Fprintf(&d.out, " %s=%s", p.Name, p.Value)
		}
	}
	d.out.WriteString("\n")
}

// result shows the value of an expression, or what it has thrown.
func (d *debugged) result(method string, params any) {
	var got struct {
		Result           remoteValue
		ExceptionDetails *struct{}
	}
	if !d.call(method, params, &got) {
		return
	}
	if got.ExceptionDetails != nil {
		d.out.WriteString("throws ")
	}
	fmt.Fprintln(&d.out, got.Result)
}

// do carries out one command of a transcript.
func (d *debugged) do(command string) {
	word, rest, _ := strings.Cut(command, " ")
	args := strings.Fields(rest)
	frame := func(i int) string { return d.event.CallFrames[i].CallFrameID }
	switch word {
	case "break":
		_, condition, _ := strings.Cut(rest, " if ")
		line, column, _ := strings.Cut(args[1], ":")
		n, _ := strconv.Atoi(line)
		at, _ := strconv.Atoi(column)
		var got struct {
			BreakpointID string
			Locations    []struct {
				ScriptID                 string
				LineNumber, ColumnNumber int
			}
		}
		if d.call("Debugger.setBreakpointByUrl", map[string]any{"urlRegex": `/` + args[0] + `$`, "lineNumber": n - 1,
			"columnNumber": max(at-1, 0), "condition": condition}, &got) {
			d.points = append(d.points, got.BreakpointID)
			for _, l := range got.Locations {
				fmt.Fprintf(&d.out, "%s:%d\n", d.place(l.ScriptID, l.LineNumber), l.ColumnNumber+1)
			}
		}
	case "clear":
		for _, id := range d.points {
			d.call("Debugger.removeBreakpoint", map[string]any{"breakpointId": id}, nil)
		}
		d.points = nil
	case "exceptions":
		d.call("Debugger.setPauseOnExceptions", map[string]any{"state": rest}, nil)
	case "hide":
		d.call("Debugger.setBlackboxPatterns", map[string]any{"patterns": args}, nil)
	case "GET":
		go func() {
			res, err := http.Get(d.web.URL + rest)
			if err != nil {
				d.answers <- err.Error()
				return
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			first, _, _ := strings.Cut(string(body), "\n")
			d.answers <- fmt.Sprint(res.StatusCode, " ", first)
		}()
	case "answer":
		fmt.Fprintln(&d.out, <-d.answers)
	case "paused":
		d.paused()
	case "pause":
		d.call("Debugger.pause", nil, nil)
	case "into", "over", "out":
		if d.call("Debugger.step"+strings.ToUpper(word[:1])+word[1:], nil, nil) {
			d.paused()
		}
	case "resume":
		d.call("Debugger.resume", nil, nil)
	case "scopes":
		n, _ := strconv.Atoi(rest)
		d.scopes(n)
	case "eval", "outer":
		i := map[string]int{"eval": 0, "outer": 1}[word]
		d.result("Debugger.evaluateOnCallFrame", map[string]any{"callFrameId": frame(i), "expression": rest})
	case "global":
		d.result("Runtime.evaluate", map[string]any{"expression": rest, "replMode": true})
	case "set":
		scope, _ := strconv.Atoi(args[0])
		d.call("Debugger.setVariableValue", map[string]any{"callFrameId": frame(0), "scopeNumber": scope,
			"variableName": args[1], "newValue": map[string]any{"value": json.RawMessage(args[2])}}, nil)
	case "console":
		for len(d.console) == 0 {
			d.read()
		}
		fmt.Fprintln(&d.out, d.console[0])
		d.console = d.console[1:]
	default:
		d.t.Fatalf("no command is called %q", word)
	}
}

// A debugger sets breakpoints, steps, looks and changes values in all kinds of events. The transcripts have a command
// in a line that begins with >, and below it what came of it.
func TestInspector(t *testing.T) {
	files, err := filepath.Glob("testdata/inspector/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d := debug(t)
			for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
				line := lines.Text()
				if command, ok := strings.CutPrefix(line, "> "); ok {
					fmt.Fprintln(&d.out, line)
					d.do(command)
				} else if strings.HasPrefix(line, "#") || line == "" {
					fmt.Fprintln(&d.out, line)
				}
			}
			got := d.out.String()
			if *updateInspector {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("got\n%s\nwant\n%s", got, text)
			}
		})
	}
}

// A session that is debugged lives through an edit: the breakpoint stands in the new code, too.
func TestInspectorReload(t *testing.T) {
	d := debug(t, func(o *Options) { o.Watch = true })
	d.do("break lib.ts 3")
	old := len(d.scripts)
	file := filepath.Join(d.o.Dir, "lib.ts")
	edited := strings.Replace(script("inspector", "lib.ts"), "let sum = 0;", "let sum = 100;", 1)
	if err := os.WriteFile(file, []byte(edited), 0o666); err != nil {
		t.Fatal(err)
	}
	for len(d.scripts) == old {
		d.read()
	}
	for served := false; !served; { // the old code may serve a moment longer
		d.do("GET /")
		d.paused()
		d.do("over")
		d.out.Reset()
		d.do("eval sum")
		served = strings.TrimSpace(d.out.String()) == "100"
		d.do("resume")
		<-d.answers
	}
	if ids := slices.Collect(func(yield func(string) bool) {
		for id, url := range d.scripts {
			if strings.HasSuffix(url, "lib.ts") && !yield(id) {
				return
			}
		}
	}); len(ids) < 2 {
		t.Errorf("scripts of lib.ts: %v", ids)
	}
}
