package inspector

import (
	"errors"
	"reflect"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"
	"github.com/dop251/goja"
)

var errNotPaused = errors.New("Can only perform operation while paused.") // V8's text

func init() {
	serves("Debugger.enable", enableDebugger)
	serves("Debugger.disable", func(c *client, _ *none) (none, error) {
		c.disable()
		return none{}, nil
	})
	serves("Debugger.setBreakpointByUrl", setBreakpointByURL)
	serves("Debugger.setBreakpoint", setBreakpoint)
	serves("Debugger.removeBreakpoint", func(c *client, p *debugger.RemoveBreakpointParams) (none, error) {
		c.target.remove(func(b *breakpoint) bool { return b.id == string(p.BreakpointID) && b.of == c })
		return none{}, nil
	})
	serves("Debugger.getPossibleBreakpoints", possibleBreakpoints)
	serves("Debugger.setBreakpointsActive", func(c *client, p *debugger.SetBreakpointsActiveParams) (none, error) {
		c.change(func() { c.inactive = !p.Active })
		return none{}, nil
	})
	serves("Debugger.setSkipAllPauses", func(c *client, p *debugger.SetSkipAllPausesParams) (none, error) {
		c.change(func() { c.skips = p.Skip })
		return none{}, nil
	})
	serves("Debugger.setPauseOnExceptions", setPauseOnExceptions)
	serves("Debugger.setBlackboxPatterns", setBlackboxPatterns)
	serves("Debugger.setInstrumentationBreakpoint", func(_ *client, p *debugger.SetInstrumentationBreakpointParams) (
		debugger.SetInstrumentationBreakpointReturns, error) {
		// Scripts here have no source maps of their own: what a client waits for never comes.
		id := debugger.BreakpointID("instrumentation:" + string(p.Instrumentation))
		return debugger.SetInstrumentationBreakpointReturns{BreakpointID: id}, nil
	})
	serves("Debugger.getScriptSource", scriptSource)
	serves("Debugger.searchInContent", searchInContent)
	serves("Debugger.pause", func(c *client, _ *none) (none, error) {
		c.target.breakNow.Store(true)
		return none{}, nil
	})
	for name, kind := range map[string]stepKind{"Debugger.resume": stepNone, "Debugger.stepInto": stepInto,
		"Debugger.stepOver": stepOver, "Debugger.stepOut": stepOut} {
		serves(name, func(c *client, _ *none) (none, error) {
			r := c.target.pausedRealm()
			if r == nil || !r.goOn(kind) {
				return none{}, errNotPaused
			}
			return none{}, nil
		})
	}
	serves("Debugger.continueToLocation", continueToLocation)
	later("Debugger.evaluateOnCallFrame", reflect.TypeFor[debugger.EvaluateOnCallFrameReturns](), evaluateOnFrame)
	later("Debugger.setVariableValue", reflect.TypeFor[none](), setVariable)
	serves("Debugger.setScriptSource", func(*client, *debugger.SetScriptSourceParams) (none, error) {
		return none{}, errors.New("a script is not changed in place: save the file, and the Worker is loaded anew")
	})
	serves("Debugger.restartFrame", func(*client, *none) (none, error) {
		return none{}, errors.New("the engine cannot begin a call again")
	})
}

// change changes what the client wishes.
func (c *client) change(f func()) {
	s := c.target.server
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	c.target.settleLocked()
}

func enableDebugger(c *client, _ *debugger.EnableParams) (debugger.EnableReturns, error) {
	c.change(func() {
		if !c.debugs {
			for _, r := range c.target.realms {
				c.greetLocked(r, false, true)
			}
		}
		c.debugs = true
	})
	if r := c.target.pausedRealm(); r != nil {
		r.do(func() {
			if r.paused != nil {
				c.event("Debugger.paused", r.pausedEvent(r.paused))
			}
		})
	}
	return debugger.EnableReturns{DebuggerID: runtime.UniqueDebuggerID(c.target.id)}, nil
}

// breakpointReply is what V8 answers, with an empty list where cdproto leaves it out.
type breakpointReply struct {
	BreakpointID string               `json:"breakpointId"`
	Locations    []*debugger.Location `json:"locations"`
}

func setBreakpointByURL(c *client, p *debugger.SetBreakpointByURLParams) (*breakpointReply, error) {
	b := &breakpoint{of: c, url: p.URL, line: int(p.LineNumber) + 1, condition: p.Condition}
	if p.ColumnNumber > 0 {
		b.column = int(p.ColumnNumber) + 1
	}
	b.newID(1, p.URL)
	if p.URLRegex != "" {
		var err error
		if b.pattern, err = newPattern(p.URLRegex); err != nil {
			return nil, &errorReply{codeParams, "urlRegex: " + err.Error()}
		}
		b.newID(2, p.URLRegex)
	} else if p.URL == "" {
		return nil, &errorReply{codeParams, "Either url or urlRegex or scriptHash must be specified."}
	}
	if c.has(b.id) {
		return nil, errors.New("Breakpoint at specified location already exists.") // V8's text
	}
	return &breakpointReply{BreakpointID: b.id, Locations: c.target.add(b)}, nil
}

// has tells whether the client has set a breakpoint.
func (c *client) has(id string) bool {
	t := c.target
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	for _, b := range t.breakpoints {
		if b.id == id && b.of == c {
			return true
		}
	}
	return false
}

// realmOf is the realm and the file of a script.
func (t *target) realmOf(id runtime.ScriptID) (r *realm, file int, err error) {
	r = t.find(func(r *realm) bool {
		n, ok := r.fileOf(id)
		if ok {
			file = n
		}
		return ok
	})
	if r == nil {
		return nil, 0, errors.New("No script for id: " + string(id)) // V8's text
	}
	return r, file, nil
}

func setBreakpoint(c *client, p *debugger.SetBreakpointParams) (any, error) {
	if p.Location == nil {
		return nil, &errorReply{codeParams, "location is missing"}
	}
	r, file, err := c.target.realmOf(p.Location.ScriptID)
	if err != nil {
		return nil, err
	}
	b := &breakpoint{of: c, url: r.stops.Files[file].URL, line: int(p.Location.LineNumber) + 1, condition: p.Condition}
	if p.Location.ColumnNumber > 0 {
		b.column = int(p.Location.ColumnNumber) + 1
	}
	b.newID(4, string(p.Location.ScriptID))
	if c.has(b.id) {
		return nil, errors.New("Breakpoint at specified location already exists.")
	}
	n := r.stopOf(file, b.line, b.column)
	if n < 0 {
		return nil, errors.New("Could not resolve breakpoint")
	}
	c.target.add(b)
	stop := r.stops.Stops[n]
	return map[string]any{"breakpointId": b.id, "actualLocation": r.location(stop.File, stop.Line, stop.Column)}, nil
}

func possibleBreakpoints(c *client, p *debugger.GetPossibleBreakpointsParams) (any, error) {
	if p.Start == nil {
		return nil, &errorReply{codeParams, "start is missing"}
	}
	r, file, err := c.target.realmOf(p.Start.ScriptID)
	if err != nil {
		return nil, err
	}
	list := []*debugger.BreakLocation{}
	for _, s := range r.stops.Stops {
		line, column := int64(s.Line-1), int64(s.Column-1)
		if s.Return || s.File != file || line < p.Start.LineNumber || line == p.Start.LineNumber &&
			column < p.Start.ColumnNumber {
			continue
		}
		if p.End != nil && (line > p.End.LineNumber || line == p.End.LineNumber && column >= p.End.ColumnNumber) {
			continue
		}
		list = append(list, &debugger.BreakLocation{ScriptID: p.Start.ScriptID, LineNumber: line, ColumnNumber: column})
	}
	return map[string]any{"locations": list}, nil
}

func setPauseOnExceptions(c *client, p *debugger.SetPauseOnExceptionsParams) (none, error) {
	mode, ok := map[debugger.ExceptionsState]int32{
		"none": pauseOnNone, "uncaught": pauseOnUncaught, "caught": pauseOnCaught, "all": pauseOnAll}[p.State]
	if !ok {
		return none{}, &errorReply{codeParams, "Unknown pause on exceptions mode: " + string(p.State)}
	}
	c.change(func() { c.exceptions = mode })
	return none{}, nil
}

func setBlackboxPatterns(c *client, p *debugger.SetBlackboxPatternsParams) (none, error) {
	var list []*pattern
	for _, source := range p.Patterns {
		made, err := newPattern(source)
		if err != nil {
			return none{}, &errorReply{codeParams, "Pattern parser error: " + err.Error()}
		}
		list = append(list, made)
	}
	c.change(func() { c.blackbox = list })
	return none{}, nil
}

func scriptSource(c *client, p *debugger.GetScriptSourceParams) (any, error) {
	r, file, err := c.target.realmOf(p.ScriptID)
	if err != nil {
		return nil, err
	}
	return map[string]string{"scriptSource": r.stops.Files[file].Text}, nil
}

func searchInContent(c *client, p *debugger.SearchInContentParams) (any, error) {
	r, file, err := c.target.realmOf(p.ScriptID)
	if err != nil {
		return nil, err
	}
	source := p.Query
	if !p.IsRegex {
		source = regexp.QuoteMeta(source)
	}
	if !p.CaseSensitive {
		source = "(?i)" + source
	}
	query, err := regexp.Compile(source)
	if err != nil {
		return nil, &errorReply{codeParams, "query: " + err.Error()}
	}
	found := []*debugger.SearchMatch{}
	for i, line := range strings.Split(r.stops.Files[file].Text, "\n") {
		if query.MatchString(line) {
			found = append(found, &debugger.SearchMatch{LineNumber: float64(i), LineContent: line})
		}
	}
	return map[string]any{"result": found}, nil
}

func continueToLocation(c *client, p *debugger.ContinueToLocationParams) (none, error) {
	r := c.target.pausedRealm()
	if r == nil || p.Location == nil {
		return none{}, errNotPaused
	}
	of, file, err := c.target.realmOf(p.Location.ScriptID)
	if err != nil {
		return none{}, err
	}
	b := &breakpoint{of: c, url: of.stops.Files[file].URL, once: true, line: int(p.Location.LineNumber) + 1,
		column: int(p.Location.ColumnNumber) + 1}
	b.newID(9, "continue")
	c.target.add(b)
	r.goOn(stepNone)
	return none{}, nil
}

// frameOf runs a function with a call of the pause, on the loop.
func (c *client) frameOf(id debugger.CallFrameID, done answered, f func(r *realm, call *call)) {
	r := c.target.pausedRealm()
	if r == nil {
		done(nil, errNotPaused)
		return
	}
	if !r.do(func() {
		_, index, ok := strings.Cut(string(id), ".")
		i := number(index)
		if r.paused == nil || !ok || i < 0 || i >= len(r.paused.frames) || r.frameID(i) != id {
			done(nil, errNotPaused)
			return
		}
		answering(done, func() { f(r, r.paused.frames[i]) })
	}) {
		done(nil, errNotPaused)
	}
}

func evaluateOnFrame(c *client, p *debugger.EvaluateOnCallFrameParams, done answered) {
	c.frameOf(p.CallFrameID, done, func(r *realm, call *call) {
		v, thrown := r.evaluateIn(call, p.Expression)
		r.result(v, thrown, resultForm{group: p.ObjectGroup, byValue: p.ReturnByValue, preview: p.GeneratePreview},
			done)
	})
}

func setVariable(c *client, p *debugger.SetVariableValueParams, done answered) {
	c.frameOf(p.CallFrameID, done, func(r *realm, call *call) {
		var scopes int64
		for _, scope := range r.stops.Visible(r.stops.Stops[call.stop]) {
			if len(scope.Variables) == 0 && scope.Kind != "function" {
				continue
			}
			if scopes++; scopes-1 != p.ScopeNumber {
				continue
			}
			for _, v := range scope.Variables {
				if v.Name != p.VariableName {
					continue
				}
				value, err := r.argument(p.NewValue)
				if err == nil {
					if thrown := r.write(call, v.Key, value); thrown != nil {
						err = errors.New(thrown.String())
					}
				}
				done(none{}, err)
				return
			}
		}
		done(nil, errors.New("Could not find scope with given number, or the variable in it"))
	})
}

// argument is the value that a client gives.
func (r *realm) argument(a *runtime.CallArgument) (goja.Value, error) {
	switch {
	case a == nil:
		return goja.Undefined(), nil
	case a.ObjectID != "":
		k, ok := r.objects.kept[string(a.ObjectID)]
		v, isValue := k.value.(goja.Value)
		if !ok || !isValue {
			return nil, errNoObject
		}
		return v, nil
	case a.UnserializableValue != "":
		v, thrown := r.compiled("(" + string(a.UnserializableValue) + ")")
		if thrown != nil {
			return nil, errors.New(thrown.String())
		}
		return v, nil
	case len(a.Value) > 0:
		v, thrown := r.compiled("(" + string(a.Value) + ")")
		if thrown != nil {
			return nil, errors.New(thrown.String())
		}
		return v, nil
	}
	return goja.Undefined(), nil
}
