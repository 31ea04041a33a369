package testconfig

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja"

	servicebinding "eddy/runtime/bindings/service"
	"eddy/runtime/bundle"
	"eddy/runtime/worker"
)

// Project is one set of tests.
type Project struct {
	Name string
	// Root is where relative paths start, File the configuration, "" for none.
	Root, File string
	// Dialect is "plugin" for cloudflareTest, "pool" for defineWorkersConfig and its like, "" for a project without
	// Cloudflare's integration.
	Dialect string
	Test    Settings
	Alias   []Alias
	Define  map[string]string
	// Conditions are resolve.conditions.
	Conditions []string

	program  *program
	index    int
	hooks    bool
	provided map[string]any
	tree     *Tree
}

// Settings are those of the section test that are followed. A nil is what the configuration does not say.
type Settings struct {
	Name            string            `json:"name"`
	Dir             string            `json:"dir"`
	Include         []string          `json:"include"`
	Exclude         []string          `json:"exclude"`
	IncludeSource   []string          `json:"includeSource"`
	SetupFiles      []string          `json:"setupFiles"`
	GlobalSetup     []string          `json:"globalSetup"`
	Globals         *bool             `json:"globals"`
	TestTimeout     *float64          `json:"testTimeout"`
	HookTimeout     *float64          `json:"hookTimeout"`
	Retry           *int              `json:"retry"`
	Bail            *int              `json:"bail"`
	RestoreMocks    *bool             `json:"restoreMocks"`
	MockReset       *bool             `json:"mockReset"`
	ClearMocks      *bool             `json:"clearMocks"`
	UnstubEnvs      *bool             `json:"unstubEnvs"`
	UnstubGlobals   *bool             `json:"unstubGlobals"`
	PassWithNoTests *bool             `json:"passWithNoTests"`
	AllowOnly       *bool             `json:"allowOnly"`
	Isolate         *bool             `json:"isolate"`
	Watch           *bool             `json:"watch"`
	Eddy            Own               `json:"eddy"`
	FileParallelism *bool             `json:"fileParallelism"`
	MaxWorkers      *float64          `json:"maxWorkers"` // below 0: of the cores, so -0.5 is half of them
	MaxConcurrency  *int              `json:"maxConcurrency"`
	Sequence        Sequence          `json:"sequence"`
	Reporters       []ReporterChoice  `json:"reporters"`
	OutputFiles     map[string]string `json:"outputFiles"`
	Provide         map[string]any    `json:"provide"`
	Env             map[string]string `json:"env"`
	Environment     string            `json:"environment"`
	TestNamePattern string            `json:"testNamePattern"`
	Silent          string            `json:"silent"`
	HideSkipped     *bool             `json:"hideSkippedTests"`
	Coverage        json.RawMessage   `json:"coverage"`
	IgnoreUnhandled *bool             `json:"dangerouslyIgnoreUnhandledErrors"`
}

// Own has what only eddy knows.
type Own struct {
	// Time is the clock of the tests: virtual or real.
	Time string `json:"time"`
}

// Sequence is the order of tests.
type Sequence struct {
	Shuffle *bool       `json:"shuffle"`
	Seed    json.Number `json:"seed"`
	Hooks   string      `json:"hooks"`
}

// ReporterChoice is one of the reporters that a configuration names.
type ReporterChoice struct {
	Name    string          `json:"name"`
	Options json.RawMessage `json:"options"`
	// Custom says that it is an object of the configuration's own.
	Custom bool `json:"custom"`
}

// Alias replaces a specifier, or its beginning up to a slash.
type Alias struct {
	Find        string `json:"find"`
	Flags       string `json:"flags"`
	Regexp      bool   `json:"regexp"`
	Replacement string `json:"replacement"`
}

// described is what read.js says of a configuration.
type described struct {
	Index      int               `json:"index"`
	Root       string            `json:"root"`
	Dialect    string            `json:"dialect"`
	Foreign    []string          `json:"foreign"`
	Hooks      bool              `json:"hooks"`
	Test       Settings          `json:"test"`
	Alias      []Alias           `json:"alias"`
	Define     map[string]string `json:"define"`
	Conditions []string          `json:"conditions"`
	Unknown    [][]string        `json:"unknown"`
	Projects   []member          `json:"projects"`
	Workspace  string            `json:"workspace"`
}

// member is an entry of a list of projects.
type member struct {
	Glob    string     `json:"glob"`
	Extends string     `json:"extends"`
	Config  *described `json:"config"`
}

func (t *Tree) project(prog *program, file string, d *described) (*Project, error) {
	p := &Project{
		Name: d.Test.Name, Root: filepath.Clean(d.Root), File: file, Dialect: d.Dialect, Test: d.Test, Alias: d.Alias,
		Define: d.Define, Conditions: d.Conditions, program: prog, index: d.Index, tree: t, hooks: d.Hooks,
	}
	t.unknown(file, d.Unknown)
	d.Foreign = slices.DeleteFunc(d.Foreign, done().MatchString)
	if len(d.Foreign) > 0 {
		t.warn(fmt.Sprintf("%s: %s", t.show(file), foreignText(d.Foreign)))
	}
	switch env := p.Test.Environment; {
	case env == "" || env == "node":
	case p.Dialect != "":
		return nil, fmt.Errorf("Unexpected custom `environment` %q in project %s.\nThe Workers pool always runs your "+
			"tests inside of an environment providing Workers runtime APIs.\nPlease remove the `environment` option.",
			env, t.show(file))
	default:
		return nil, fmt.Errorf("%s: environment %q is not available: eddy runs tests as Workers",
			t.place(file, []string{"test", "environment"}), env)
	}
	return p, nil
}

// unknown warns of options that nothing follows.
func (t *Tree) unknown(file string, paths [][]string) {
	for _, path := range paths {
		t.warn(fmt.Sprintf("%s: %s is not an option that eddy follows", t.place(file, path), strings.Join(path, ".")))
	}
}

func (t *Tree) warn(text string) {
	for _, w := range t.Warnings {
		if w == text {
			return
		}
	}
	t.Warnings = append(t.Warnings, text)
}

// place is where a file names an option, as far as its text tells.
func (t *Tree) place(file string, path []string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return t.show(file)
	}
	text, offset := string(data), 0
	for _, key := range path {
		re := regexp.MustCompile(`(^|[\s{,(\["'])` + regexp.QuoteMeta(key) + `["']?\s*[:,(}]`)
		if at := re.FindStringIndex(text[offset:]); at != nil {
			offset += at[0] + len(text[offset+at[0]:]) - len(strings.TrimLeft(text[offset+at[0]:], " \t\r\n{,([\"'"))
		}
	}
	if offset == 0 {
		return t.show(file)
	}
	line := 1 + strings.Count(text[:offset], "\n")
	return fmt.Sprintf("%s:%d", t.show(file), line)
}

// abs makes a path of the configuration absolute.
func (p *Project) abs(path string) string { return absolute(p.Root, path) }

func absolute(dir, path string) string {
	path = strings.TrimPrefix(path, "file://")
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// PoolDir is where paths start that concern Workers: the root, under the older dialect the configuration's folder.
func (p *Project) PoolDir() string {
	if p.Dialect == "pool" && p.File != "" {
		return filepath.Dir(p.File)
	}
	return p.Root
}

// Abs makes paths of the configuration absolute.
func (p *Project) Abs(paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = p.abs(path)
	}
	return out
}

// Provided are the values of inject().
func (p *Project) Provided() map[string]any { return p.provided }

// Pool are the options of Cloudflare's integration.
type Pool struct {
	// Main is the entry, ConfigPath the configuration file, absolute; "" for none.
	Main, ConfigPath string
	Environment      string
	// IsolatedStorage and SingleWorker are those of the older dialect.
	IsolatedStorage, SingleWorker bool
	Exports                       map[string]string
	// Worker has the options of Miniflare for the Worker, Workers are the auxiliary ones.
	Worker  Miniflare
	Workers []Miniflare
}

// Miniflare is a Worker in options of Miniflare.
type Miniflare struct {
	// Config are keys of a Worker's configuration, as JSON.
	Config json.RawMessage `json:"config"`
	// Classes are Durable Object classes of the Worker that it binds.
	Classes []Class `json:"classes"`
	// Outbound is the service that outgoing requests go to, "" for the network.
	Outbound string `json:"outbound"`
	Root     string `json:"root"`

	Script     *string  `json:"script"`
	ScriptPath string   `json:"scriptPath"`
	Modules    []Module `json:"modules"`

	Unknown [][]string `json:"unknown"`
}

// Class is a Durable Object class.
type Class struct {
	Name   string `json:"name"`
	SQLite bool   `json:"sqlite"`
}

// Module is a module of an auxiliary Worker.
type Module struct {
	Type     string  `json:"type"`
	Path     string  `json:"path"`
	Contents *string `json:"contents"`
}

// Pool reads the options of the integration, which may use what global setups have provided. It is nil for a project
// without the integration.
func (p *Project) Pool(ctx context.Context) (*Pool, error) {
	if p.Dialect == "" {
		return nil, nil
	}
	provided, err := json.Marshal(p.provided)
	if err != nil {
		return nil, err
	}
	newConfig := ""
	for _, f := range newConfigOf(p.File) {
		newConfig = bundle.ModuleID(f)
	}
	text, err := p.program.ask(ctx, "worker", p.index, string(provided), newConfig)
	if err != nil {
		return nil, p.tree.failed(p.File, err)
	}
	var out struct {
		Main, ConfigPath, Environment *string
		IsolatedStorage, SingleWorker bool
		Exports                       map[string]string
		Unknown                       [][]string
		Worker                        Miniflare
		Workers                       []Miniflare
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, p.tree.failed(p.File, err)
	}
	pool := &Pool{IsolatedStorage: out.IsolatedStorage, SingleWorker: out.SingleWorker, Exports: out.Exports,
		Worker: out.Worker, Workers: out.Workers}
	if out.Main != nil {
		pool.Main = absolute(p.PoolDir(), *out.Main)
	}
	if out.ConfigPath != nil {
		pool.ConfigPath = absolute(p.PoolDir(), *out.ConfigPath)
	}
	if out.Environment != nil {
		pool.Environment = *out.Environment
	}
	p.tree.unknown(p.File, out.Unknown)
	p.tree.unknown(p.File, out.Worker.Unknown)
	for i := range pool.Workers {
		p.tree.unknown(p.File, pool.Workers[i].Unknown)
		if s := pool.Workers[i].ScriptPath; s != "" {
			pool.Workers[i].ScriptPath = absolute(p.PoolDir(), filepath.Join(pool.Workers[i].Root, s))
		}
	}
	return pool, nil
}

// functionPrefix begins the names of services that are functions of the configuration.
const functionPrefix = "eddy:function:"

// Function is the way to a service that is a function of the configuration, nil for any other name. Any goroutine.
func (p *Project) Function(service string) servicebinding.DistantWorker {
	id, ok := strings.CutPrefix(service, functionPrefix)
	if !ok || p.program == nil {
		return nil
	}
	iso := p.program.iso.Isolate
	return func(req *http.Request, o servicebinding.DistantOptions) (*worker.Response, error) {
		fo := worker.FetchOptions{FromWorker: true, DispatchOptions: worker.DispatchOptions{
			Unlimited: true,
			Props: func(iso *worker.Isolate) goja.Value {
				props := iso.Runtime().NewObject()
				_ = props.Set("id", id)
				return props
			},
		}}
		return iso.Fetch(req.Context(), req, fo)
	}
}
