package eddy

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// levels is the house, lowest first: a package may import packages of lower levels only. A folder stands for all
// below it unless a longer one is listed.
var levels = [][]string{
	{"runtime/statedir", "runtime/cause", "runtime/cachedir", "runtime/lazyregexp",
		"runtime/engine/gojainternals", "runtime/engine/jsregexp",
		"runtime/engine/native", "runtime/engine/syntax"},
	{"runtime/engine/kernel", "runtime/clock", "runtime/heapwatch", "runtime/journal",
		"runtime/engine/builtin", "runtime/bundle", "runtime/sqlite",
		"queues/logstore", "durableobject/storage/history", "wrangler", "runtime/cluster/engine",
		"runtime/containers"},
	{"runtime/running", "runtime/cluster/member", "runtime/cluster/postgres",
		"runtime/otlp", "runtime/journal/foreign", "runtime/declarations",
		"runtime/engine/intl", "runtime/engine/json", "runtime/engine/regexp", "runtime/engine/bounds"},
	{"runtime/engine/script", "runtime/cluster/files"},
	{"runtime/engine/v8text", "runtime/cluster/node"},
	{"runtime/engine/eventloop", "runtime/engine/webidl", "runtime/engine/ecma", "durableobject/storage"},
	{"runtime/engine/structured", "runtime/engine/host"},
	{"runtime/cluster/objects",
		"queues", "durableobject", "workflows", "runtime/webapi", "runtime/engine/wasm", "queues/workqueue"},
	{"runtime/nodecompat", "queues/workqueue/eddylog", "runtime/cluster/archive"},
	{"runtime/rpc"},
	{"runtime/worker", "runtime/profile", "runtime/rpc/wire", "runtime/report", "runtime/restapi",
		"workflows/workflowapi"},
	{"queues/queuejs", "durableobject/objectjs", "workflows/workflowjs", "runtime/bindings", "runtime/control",
		"runtime/sharing/peer", "runtime/inspector",
		"runtime/testrun/vitest", "runtime/testrun/coverage"},
	{"runtime/sharing/hosting"},
	{"runtime/front", "runtime/sharing", "runtime/testrun/testconfig", "runtime/explorer"},
	{"runtime/session"},
	{"runtime", "runtime/testrun", "runtime/replay"},
	{"runtime/testrun/reporter", "runtime/trial"},
	{"runtime/runtimetest"},
	{"cmd", "examples"},
}

// sideways are arrows inside one level, each with its reason.
var sideways = map[string]string{
	"runtime/webapi → runtime/webapi": "web APIs build on each other; runtime/webapi/install.go lists " +
		"them in order",
	"runtime/engine/ecma → runtime/engine/ecma": "the engine and what runs scripts for its tests",
	"runtime/nodecompat → runtime/nodecompat":   "the modules, node:crypto, and the bridge that both cross",
	"runtime/testrun → runtime/replay":          "captured events beside tests are tests",
	"queues → queues":                           "the broker and its test model",
	"queues/workqueue → queues/workqueue":       "the work queue's API, what backends share, the backends",
	"runtime/cluster/engine → runtime/cluster/engine": "" +
		"the seam and its shared suite",
	"queues/logstore → queues/logstore":   "the log and its shared suite",
	"runtime/bindings → runtime/bindings": "what KV, D1 and R2 keep has the same place and form: objectstore",
}

// homes are the packages that may import a big dependency.
var homes = map[string][]string{
	"github.com/dop251/goja": {"runtime/engine", "runtime/webapi",
		"runtime/nodecompat", "runtime/worker", "runtime/rpc", "queues/queuejs", "durableobject/objectjs",
		"workflows/workflowjs", "runtime/bindings", "runtime/bundle", "runtime/session",
		"runtime/sharing", "runtime/inspector", "runtime/profile",
		"runtime/testrun"},
	"github.com/evanw/esbuild":      {"runtime/bundle"},
	"github.com/fsnotify/fsnotify":  {"runtime/bundle", "queues/workqueue/sqlite"},
	"github.com/tetratelabs/wazero": {"runtime/engine/wasm", "runtime/engine/native"},
	"github.com/jackc/pgx":          {"queues/workqueue/pgx", "queues/workqueue/servers", "runtime/cluster/postgres"},
	"github.com/redis/go-redis":     {"queues/workqueue/redis"},
	"go.opentelemetry.io":           {"queues/workqueue/telemetry/spans", "runtime/otlp"},
	"modernc.org/sqlite":            {"runtime/sqlite"},
	"github.com/coder/websocket":    {"runtime/sharing/peer", "runtime/inspector", "runtime/bindings/browser"},
	"github.com/prometheus":         {"queues/workqueue/telemetry/metrics", "runtime/control"},
	"github.com/clipperhouse/uax29": {"runtime/engine/intl"},
	"github.com/pelletier/go-toml":  {"wrangler"},
	"github.com/tailscale/hujson":   {"wrangler", "runtime/bundle"},
	"github.com/spf13/cobra":        {"cmd"},
	"github.com/fxamacker/cbor":     {"runtime/journal", "runtime/bindings/d1"},
	"golang.org/x/image":            {"runtime/bindings/images"},
	"github.com/HugoSmits86":        {"runtime/bindings/images"},

	"github.com/modelcontextprotocol": {"cmd"},
	"github.com/google/jsonschema-go": {"runtime/explorer"},
	"github.com/chromedp/cdproto":     {"runtime/inspector"},
	"github.com/google/pprof":         {"runtime/heapwatch", "runtime/profile"},
}

func levelOf(pkg string) (level int, folder string) {
	level = -1
	for i, folders := range levels {
		for _, f := range folders {
			if (pkg == f || strings.HasPrefix(pkg, f+"/")) && len(f) > len(folder) {
				level, folder = i, f
			}
		}
	}
	return level, folder
}

// eachSource calls f for every Go file that is not a test, with its package.
func eachSource(t *testing.T, f func(file, pkg string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == "node_modules" ||
				len(name) > 1 && strings.HasPrefix(name, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(p, ".go") && !strings.HasSuffix(p, "_test.go") {
			f(p, filepath.ToSlash(path.Dir(filepath.ToSlash(p))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// eachImport calls f for every import of every file that is not a test.
func eachImport(t *testing.T, f func(file, pkg, imported string)) {
	t.Helper()
	eachSource(t, func(p, pkg string) {
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range file.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			f(p, pkg, name)
		}
	})
}

func TestImportsRunDownward(t *testing.T) {
	reasons := map[string]bool{}
	eachImport(t, func(file, pkg, imported string) {
		target, ok := strings.CutPrefix(imported, "eddy/")
		if !ok {
			return
		}
		from, fromFolder := levelOf(pkg)
		to, toFolder := levelOf(target)
		switch {
		case from < 0 || to < 0:
			t.Errorf("%s: %s → %s: a package without a level; add it to the table", file, pkg, target)
		case to > from:
			t.Errorf("%s: %s → %s runs upward", file, pkg, target)
		case to == from:
			arrow := fromFolder + " → " + toFolder
			reasons[arrow] = true
			if sideways[arrow] == "" {
				t.Errorf("%s: %s → %s runs sideways without a stated reason", file, pkg, target)
			}
		}
	})
	for arrow := range sideways {
		if !reasons[arrow] {
			t.Errorf("no import runs %s any more: take it out of the table", arrow)
		}
	}
}

func TestBigDependenciesHaveOneHome(t *testing.T) {
	lived := map[string]bool{}
	eachImport(t, func(file, pkg, imported string) {
		for dep, allowed := range homes {
			if imported != dep && !strings.HasPrefix(imported, dep+"/") {
				continue
			}
			ok := false
			for _, a := range allowed {
				if pkg == a || a != "runtime" && strings.HasPrefix(pkg, a+"/") {
					ok = true
					lived[dep+" in "+a] = true
				}
			}
			if !ok {
				t.Errorf("%s: %s is at home in %v only", file, imported, allowed)
			}
		}
	})
	for dep, allowed := range homes {
		for _, a := range allowed {
			if !lived[dep+" in "+a] {
				t.Errorf("%s does not import %s any more: take it out of the table", a, dep)
			}
		}
	}
}

// Every package tells its story.
func TestPackagesAreDocumented(t *testing.T) {
	docs := map[string]bool{}
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" ||
			len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.Dir(p)
		docs[dir] = docs[dir] || file.Doc != nil && len(file.Doc.Text()) > 60
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, ok := range docs {
		if !ok {
			t.Errorf("%s: no package documentation", dir)
		}
	}
}

// Only runtime/statedir spells a path of the state directory.
func TestStatePathsHaveOneHome(t *testing.T) {
	spelled := regexp.MustCompile(`"(v3|running\.json|migrations\.json|\.wrangler/state)["/]|"\.wrangler", "state"`)
	home := false
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		inside := filepath.ToSlash(filepath.Dir(p)) == "runtime/statedir"
		for i, line := range strings.Split(string(b), "\n") {
			if !spelled.MatchString(line) {
				continue
			}
			if home = home || inside; !inside {
				t.Errorf("%s:%d: a path of the state directory is spelled here; ask statedir.Dir\n%s", p, i+1, line)
			}
		}
		return nil
	})
	if err != nil || !home {
		t.Error("the search found nothing at home", err)
	}
}
