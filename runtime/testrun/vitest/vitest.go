package vitest

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"

	"eddy/runtime/worker"
)

//go:embed js/*.js
var scripts embed.FS

// parts are the scripts in the order in which they rely on each other.
var parts = []string{
	"collect", "fixtures", "run", "equals", "print", "spy", "asymmetric", "assertion", "matchers", "timers", "vi",
	"expect", "snapshot", "module",
}

// lateParts run when a test first says one of their words: most isolates never do, and they take a third of the time
// that the module takes to start.
var lateParts = []string{"mockmatchers", "chai", "assert"}

// sources are the texts of all parts.
var sources = sync.OnceValues(func() (map[string]string, error) {
	texts := map[string]string{}
	for _, part := range slices.Concat(parts, lateParts) {
		text, err := scripts.ReadFile("js/" + part + ".js")
		if err != nil {
			return nil, err
		}
		texts[part] = string(text)
	}
	return texts, nil
})

// Config are the settings of a run that the module itself follows, named as vitest names them (TEST-65, TEST-117).
type Config struct {
	// TestTimeout and HookTimeout are milliseconds of real time; 0 is none.
	TestTimeout    float64 `json:"testTimeout"`
	HookTimeout    float64 `json:"hookTimeout"`
	Retry          int     `json:"retry"`
	Bail           int     `json:"bail"`
	MaxConcurrency int     `json:"maxConcurrency"`
	AllowOnly      bool    `json:"allowOnly"`
	// RequireAssertions lets tests fail that assert nothing.
	RequireAssertions bool `json:"requireAssertions"`
	PassWithNone      bool `json:"passWithNoTests"`
	// Env is added to process.env, and so to import.meta.env (TEST-118).
	Env map[string]string `json:"env"`
	// CollectOnly imports a file and runs nothing of it.
	CollectOnly   bool   `json:"collectOnly"`
	Shuffle       bool   `json:"shuffle"`
	SequenceHooks string `json:"sequenceHooks,omitempty"`
	ClearMocks    bool   `json:"clearMocks"`
	MockReset     bool   `json:"mockReset"`
	RestoreMocks  bool   `json:"restoreMocks"`
	UnstubEnvs    bool   `json:"unstubEnvs"`
	UnstubGlobals bool   `json:"unstubGlobals"`
	Globals       bool   `json:"globals"`
	// Update is how snapshots are written: "all", "new" or "none" (TEST-115).
	Update string `json:"update"`
	// IsolateTests undoes what each test has stored, as the older pool does (TEST-68).
	IsolateTests bool `json:"isolateTests"`
	// Provided are the values of inject().
	Provided map[string]any `json:"provided,omitempty"`
}

// Host is what the module needs of whoever runs it. Every field is required.
type Host struct {
	Config Config
	// Report takes a report, as JSON.
	Report func(text string)
	// Load imports a module of the project, by id. LoadEntry imports the Worker's entry if it has not run.
	Load      func(id string) goja.Value
	LoadEntry func() goja.Value
	// Modules is the namespace that vi.mock and its like act on, see package testrun.
	Modules func() goja.Value
	// Limit calls expired after a while of real time, 0 for never, and stalled when nothing is left that could let the
	// isolate go on, or was ended because it computed without an end, with a text that says so and, if it is known, the
	// place. stop may be called at any time, and tells whether the time was over.
	Limit func(d time.Duration, expired func(), stalled func(text string, at any)) (stop func() (over bool))
	// Current says which test runs, "" for none.
	Current func(id string)
	// Due is how long after now the clock's next event is, false if there is none or time cannot be moved.
	Due func() (time.Duration, bool)
	// Others calls then when all that may happen now has had its turn. It reports false if nobody decides what comes
	// next: then others need no such favour. Loop goroutine.
	Others func(then func()) bool
	// Keep remembers what is stored, and Back goes back to what was remembered last. Both give a promise.
	Keep, Back func() goja.Value
	// Snapshots takes what became of the file's snapshots, if it had any.
	Snapshots func(Snapshots)
	// Failures is how many tests have failed in other files of the run.
	Failures func() int
	Random   *rand.Rand
}

type key struct{}

// File is one test file to run.
type File struct {
	// ID is the beginning of the ids of its tasks, Module the id of its module, Path its absolute path, Name what it is
	// called in reports.
	ID     string `json:"id"`
	Module string `json:"module"`
	Path   string `json:"path"`
	Name   string `json:"name"`
	// Setup are the ids of the modules that run before it (TEST-62).
	Setup []string `json:"setup"`
	// PassWithNone says that a file without tests is fine.
	PassWithNone bool   `json:"passWithNoTests"`
	Filter       Filter `json:"filter"`
}

// Filter chooses tests of a file; the others are skipped.
type Filter struct {
	// Pattern is a regular expression for the names of suites and test joined by a space, "" for all.
	Pattern string `json:"pattern,omitempty"`
	// Lines are those on which a test or a suite around it is declared.
	Lines []int `json:"lines,omitempty"`
}

// Module makes the module of an isolate.
func Module(h Host) worker.Module {
	return func(iso *worker.Isolate) (*goja.Object, error) {
		rt := iso.Runtime()
		v := rt.NewObject()
		config, err := toValue(rt, h.Config)
		if err != nil {
			return nil, err
		}
		_ = v.Set("config", config)
		iso.SetValue(key{}, v)
		host := h.object(iso)
		texts, err := sources()
		if err != nil {
			return nil, err
		}
		start := func(part string) error {
			if _, err := iso.Internal("vitest:"+part, texts[part], v, host); err != nil {
				return fmt.Errorf("vitest: %s: %w", part, err)
			}
			return nil
		}
		_ = v.Set("late", iso.Realm.Function("late", func(fc goja.FunctionCall) goja.Value {
			if err := start(fc.Argument(0).String()); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
			return goja.Undefined()
		}))
		for _, part := range parts {
			if err := start(part); err != nil {
				return nil, err
			}
		}
		return v.Get("module").ToObject(rt), nil
	}
}

// RunFile runs a file in an isolate that has the module; the promise settles when it is over. The run begins in a turn
// of its own: what an interrupt of that turn unwinds is nothing that the promise needs.
func RunFile(iso *worker.Isolate, f File) (goja.Value, error) {
	if _, err := iso.Namespace("vitest"); err != nil {
		return nil, err
	}
	v := iso.Value(key{}).(*goja.Object)
	rt := iso.Runtime()
	arg, err := toValue(rt, f)
	if err != nil {
		return nil, err
	}
	p, resolve, reject := rt.NewPromise()
	end := func(name string, settle func(any) error) goja.Value {
		return iso.Realm.Function(name, func(fc goja.FunctionCall) goja.Value {
			if err := settle(fc.Argument(0)); err != nil {
				panic(err)
			}
			return goja.Undefined()
		})
	}
	over, failed := end("over", resolve), end("failed", reject)
	run, _ := goja.AssertFunction(v.Get("begin"))
	scope := iso.Loop.Scope()
	iso.Loop.Post(func() {
		scope.EnterNow(func() {
			if _, err := run(v, arg, over, failed); err != nil {
				panic(err)
			}
		})
	})
	return rt.ToValue(p), nil
}

// toValue makes a plain object, as JSON.parse would.
func toValue(rt *goja.Runtime, x any) (goja.Value, error) {
	text, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	parse, _ := goja.AssertFunction(rt.Get("JSON").ToObject(rt).Get("parse"))
	return parse(goja.Undefined(), rt.ToValue(string(text)))
}

// object is the host as the scripts see it.
func (h Host) object(iso *worker.Isolate) *goja.Object {
	rt := iso.Runtime()
	o := rt.NewObject()
	began := time.Now()
	set := func(name string, f func(fc goja.FunctionCall) goja.Value) {
		_ = o.Set(name, iso.Realm.Function(name, f))
	}
	set("report", func(fc goja.FunctionCall) goja.Value {
		h.Report(fc.Argument(0).String())
		return goja.Undefined()
	})
	set("now", func(goja.FunctionCall) goja.Value {
		return rt.ToValue(float64(time.Since(began).Nanoseconds()) / 1e6)
	})
	set("load", func(fc goja.FunctionCall) goja.Value { return h.Load(fc.Argument(0).String()) })
	set("loadEntry", func(goja.FunctionCall) goja.Value { return h.LoadEntry() })
	set("keep", func(goja.FunctionCall) goja.Value { return h.Keep() })
	set("back", func(goja.FunctionCall) goja.Value { return h.Back() })
	set("modules", func(goja.FunctionCall) goja.Value { return h.Modules() })
	set("current", func(fc goja.FunctionCall) goja.Value {
		h.Current(fc.Argument(0).String())
		return goja.Undefined()
	})
	set("failures", func(goja.FunctionCall) goja.Value { return rt.ToValue(h.Failures()) })
	set("random", func(goja.FunctionCall) goja.Value { return rt.ToValue(h.Random.Float64()) })
	set("frames", func(fc goja.FunctionCall) goja.Value { return frames(iso, fc.Argument(0)) })
	set("diff", func(fc goja.FunctionCall) goja.Value {
		return rt.ToValue(Diff(fc.Argument(0).String(), fc.Argument(1).String()))
	})
	set("due", func(goja.FunctionCall) goja.Value {
		if d, ok := h.Due(); ok {
			return rt.ToValue(float64(d.Nanoseconds()) / 1e6)
		}
		return rt.ToValue(-1)
	})
	set("others", func(fc goja.FunctionCall) goja.Value {
		fn, _ := goja.AssertFunction(fc.Argument(0))
		return rt.ToValue(h.Others(func() {
			if _, err := fn(goja.Undefined()); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
		}))
	})
	set("soon", func(fc goja.FunctionCall) goja.Value {
		fn, _ := goja.AssertFunction(fc.Argument(0))
		scope := iso.Loop.Scope()
		iso.Loop.Post(func() {
			scope.EnterNow(func() {
				if _, err := fn(goja.Undefined()); err != nil {
					panic(iso.Realm.ErrorValue(err))
				}
			})
		})
		return goja.Undefined()
	})
	h.snapshotFunctions(iso, set)
	set("limit", func(fc goja.FunctionCall) goja.Value { return h.limit(iso, fc) })
	return o
}

// limit is limit(ms, what, expired, stalled); it returns the function that ends it, and tells whether it is over.
func (h Host) limit(iso *worker.Isolate, fc goja.FunctionCall) goja.Value {
	call := func(f goja.Value, args ...goja.Value) {
		if fn, ok := goja.AssertFunction(f); ok {
			if _, err := fn(goja.Undefined(), args...); err != nil {
				panic(iso.Realm.ErrorValue(err))
			}
		}
	}
	d := time.Duration(fc.Argument(0).ToFloat() * float64(time.Millisecond))
	expired, stalled := fc.Argument(2), fc.Argument(3)
	stop := h.Limit(d, func() { call(expired) }, func(text string, at any) {
		place, err := toValue(iso.Runtime(), at)
		if err != nil {
			panic(iso.Realm.ErrorValue(err))
		}
		call(stalled, iso.Runtime().ToValue(text), place)
	})
	return iso.Realm.Function("stop", func(goja.FunctionCall) goja.Value {
		return iso.Runtime().ToValue(stop())
	})
}

// frames are the places of an error in the user's files, innermost first.
func frames(iso *worker.Isolate, v goja.Value) goja.Value {
	type frame struct {
		Function string `json:"function,omitempty"`
		File     string `json:"file"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
	}
	list := []frame{}
	for _, f := range iso.Exception(v).Frames {
		if strings.HasSuffix(f.File, f.Function) {
			f.Function = "" // the module itself: the bundler gives its function the name of the file
		}
		list = append(list, frame{f.Function, f.File, f.Line, f.Column})
	}
	out, err := toValue(iso.Runtime(), list)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return out
}
