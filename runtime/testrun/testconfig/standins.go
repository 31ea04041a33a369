package testconfig

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dop251/goja"

	"eddy/runtime/nodecompat"
	"eddy/runtime/worker"
)

//go:embed read.js
var readSource string

//go:embed miniflare.js
var miniflareSource string

//go:embed cloudflareconfig.js
var cloudflareConfigSource string

//go:embed standins.js
var standInsSource string

// readerName is the module that reads what configurations export, and calls their functions.
const readerName = "eddy:testconfig"

// standIns are the modules of a program that take the place of Node's packages and of parts of Node.
func standIns(o Options, dir string, foreign map[string][]string) map[string]worker.Module {
	type key struct{}
	parts := func(iso *worker.Isolate) (*goja.Object, error) {
		if v, ok := iso.Value(key{}).(*goja.Object); ok {
			return v, nil
		}
		rt := iso.Runtime()
		out := rt.NewObject()
		iso.SetValue(key{}, out)
		process, err := nodecompat.Namespace(iso.Host, "node:process")
		if err != nil {
			return nil, err
		}
		path, err := nodecompat.Namespace(iso.Host, "node:path")
		if err != nil {
			return nil, err
		}
		buffer, err := nodecompat.Namespace(iso.Host, "node:buffer")
		if err != nil {
			return nil, err
		}
		events, err := nodecompat.Namespace(iso.Host, "node:events")
		if err != nil {
			return nil, err
		}
		net, err := nodecompat.Namespace(iso.Host, "node:net")
		if err != nil {
			return nil, err
		}
		h := &machine{iso: iso, options: o, dir: dir}
		host := h.object()
		for name, v := range map[string]*goja.Object{
			"process": process, "path": path, "Buffer": buffer.Get("Buffer").ToObject(rt),
			"EventEmitter": events.Get("default").ToObject(rt), "net": net.Get("default").ToObject(rt),
		} {
			_ = host.Set(name, v)
		}
		for name, source := range map[string]string{
			"standins": standInsSource, "miniflare": miniflareSource, "read": readSource,
			"netserver": netServerSource, "cloudflareconfig": cloudflareConfigSource,
		} {
			if _, err := iso.Internal("testconfig:"+name, source, out, host); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	part := func(name string) worker.Module {
		return func(iso *worker.Isolate) (*goja.Object, error) {
			v, err := parts(iso)
			if err != nil {
				return nil, err
			}
			return v.Get(name).ToObject(iso.Runtime()), nil
		}
	}
	modules := map[string]worker.Module{
		readerName:                               part("reader"),
		"vitest/config":                          part("vitestConfig"),
		"vite":                                   part("vite"),
		"@cloudflare/vitest-plugin":              part("plugin"),
		"@cloudflare/vitest-pool-workers":        part("plugin"),
		"@cloudflare/vitest-plugin/config":       part("oldPlugin"),
		"@cloudflare/vitest-pool-workers/config": part("oldPlugin"),
		"miniflare":                              part("miniflare"),
		"wrangler/experimental-config":           part("cloudflareConfig"),
		"@cloudflare/config":                     part("cloudflareConfig"),
		"node:fs":                                part("fs"),
		"node:fs/promises":                       part("fsPromises"),
		"node:child_process":                     part("childProcess"),
		"node:net":                               part("net"),
	}
	for name, exports := range foreign {
		modules[name] = func(iso *worker.Isolate) (*goja.Object, error) {
			v, err := parts(iso)
			if err != nil {
				return nil, err
			}
			make, _ := goja.AssertFunction(v.Get("foreign"))
			ns, err := make(v, iso.Runtime().ToValue(name), iso.Runtime().ToValue(exports))
			if err != nil {
				return nil, err
			}
			return ns.ToObject(iso.Runtime()), nil
		}
	}
	return modules
}

var (
	importsFrom = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?ms)^\s*import\s+([^"';]*?)\s*from\s*["']([^"'\n]+)["']`)
	})
	// plugins of Vite by the names of their packages. They act on what Vite serves, which does not exist here.
	foreignName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(@vitejs/|vite-|@?unplugin|rollup-plugin|@rollup/|@tailwindcss/vite$|` +
			`@cloudflare/vite-plugin$|vitest-|.*/vite(-plugin)?$|.*(/|-)vite-plugin|.*/plugin-vite|` +
			`.*/dev/vite$|@vitest/)`)
	})
	// done are plugins whose work the bundler does itself: the paths of tsconfig.json, JSX, globals of Node.
	done = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(vite-tsconfig-paths|@vitejs/plugin-react(-swc)?|vite-plugin-node-polyfills|` +
			`vite-plugin-checker)$`)
	})
	identifier = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)
	})
)

// foreignPlugins are the packages with plugins of Vite that files import, with the names that they import.
func foreignPlugins(files []string) map[string][]string {
	out := map[string][]string{}
	seen := map[string]bool{}
	var look func(file string)
	look = func(file string) {
		if seen[file] {
			return
		}
		seen[file] = true
		text, err := os.ReadFile(file)
		if err != nil {
			return // the build says so
		}
		for _, m := range importsFrom().FindAllStringSubmatch(string(text), -1) {
			from := m[2]
			if strings.HasPrefix(from, ".") {
				base := filepath.Join(filepath.Dir(file), filepath.FromSlash(from))
				for _, ext := range append([]string{""}, extensions...) {
					if isFile(base + ext) {
						look(base + ext)
						break
					}
				}
				continue
			}
			if foreignName().MatchString(from) && !strings.HasPrefix(m[1], "type ") {
				out[from] = append(out[from], importedNames(m[1])...)
			}
		}
	}
	for _, f := range files {
		look(f)
	}
	return out
}

// importedNames are the exports that the clause of an import names.
func importedNames(clause string) []string {
	names := []string{"default"}
	_, inside, ok := strings.Cut(clause, "{")
	if !ok {
		return names
	}
	inside, _, _ = strings.Cut(inside, "}")
	for part := range strings.SplitSeq(inside, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		if identifier().MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// foreignText is what a person is told of plugins that do nothing.
func foreignText(names []string) string {
	return fmt.Sprintf("Plugins of Vite do not run here: %s. Tests that need what they make will fail.",
		strings.Join(names, ", "))
}
