package testrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"eddy/runtime/lazyregexp"
	"eddy/runtime/session"
	"eddy/runtime/testrun/testconfig"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// Keeper makes the module that keeps the modules of a program, see bundle.ModulesName.
func Keeper(entry string) worker.Module { return modulesModule(entry, nil) }

// Configured gives what a project's configuration says of its Workers. folder is for files that stand for code in the
// configuration. Global setups have run.
func Configured(ctx context.Context, p *testconfig.Project, folder string) (*Pool, error) {
	options, err := p.Pool(ctx)
	if err != nil {
		return nil, err
	}
	pool := &Pool{Rename: renaming(p), Define: p.Define, Conditions: p.Conditions, Hooks: p.Hooks()}
	stub := filepath.Join(folder, "no-main.mjs")
	if err := os.WriteFile(stub, []byte("export default {};\n"), 0o666); err != nil {
		return nil, err
	}
	empty := filepath.Join(folder, "no-assets")
	if err := os.MkdirAll(empty, 0o777); err != nil {
		return nil, err
	}
	dir := p.PoolDir()
	first := session.Given{Dir: dir, MoreDir: dir, Fallback: stub}
	if options == nil {
		// A plain project runs beside the Worker, if there is one.
		if loc, err := wrangler.Find(p.Root); err == nil && filepath.Dir(loc.Path) == p.Root {
			first.Path = loc.Path
		}
		if first.Path == "" {
			first.CompatibilityDate = time.Now().UTC().Format(time.DateOnly)
		}
		first.Adjust = func(cfg *wrangler.Config) { forTests(cfg, empty) }
		pool.Workers = []session.Given{first}
		return pool, nil
	}
	pool.IsolatedStorage, pool.SingleWorker = options.IsolatedStorage, options.SingleWorker
	first.Path, first.Env = options.ConfigPath, options.Environment
	if first.CompatibilityDate, first.More, err = more(options.Worker); err != nil {
		return nil, err
	}
	if first.Path == "" && first.CompatibilityDate == "" {
		first.CompatibilityDate = time.Now().UTC().Format(time.DateOnly) // the runtime's own (TEST-48)
	}
	first.Adjust = func(cfg *wrangler.Config) {
		if options.Main != "" {
			cfg.Main = options.Main
		}
		forTests(cfg, empty)
	}
	pool.Workers = append(pool.Workers, first)
	outbound := []string{options.Worker.Outbound}
	var names []string
	for i, w := range options.Workers {
		given := session.Given{Dir: dir, MoreDir: dir}
		if given.CompatibilityDate, given.More, err = more(w); err != nil {
			return nil, err
		}
		if given.CompatibilityDate == "" {
			given.CompatibilityDate = "2000-01-01" // Miniflare's
		}
		main, err := codeOf(w, filepath.Join(folder, fmt.Sprintf("%s-%d", p.Name, i)))
		if err != nil {
			return nil, err
		}
		given.Adjust = func(cfg *wrangler.Config) { cfg.Main = main; toItself(cfg) }
		pool.Workers = append(pool.Workers, given)
		outbound = append(outbound, w.Outbound)
		var named struct{ Name string }
		if err := json.Unmarshal(w.Config, &named); err != nil {
			return nil, err
		}
		names = append(names, named.Name)
	}
	pool.Elsewhere = p.Function
	pool.Outbound = func(name string) http.RoundTripper {
		service := outbound[0]
		if i := slices.Index(names, name); i >= 0 {
			service = outbound[i+1]
		}
		if way := p.Function(service); way != nil {
			return outbounds{way}
		}
		return nil
	}
	return pool, nil
}

// forTests are the flags that tests run under (TEST-48). empty stands for a directory of assets that no build has made
// yet.
func forTests(cfg *wrangler.Config, empty string) {
	toItself(cfg)
	if a := cfg.Assets; a != nil && a.Directory != "" {
		if _, err := os.Stat(a.Directory); errors.Is(err, fs.ErrNotExist) {
			own := *a
			own.Directory, cfg.Assets = empty, &own
		}
	}
	flags := slices.DeleteFunc(slices.Clone(cfg.CompatibilityFlags), func(f string) bool {
		return f == "no_nodejs_compat" || f == "no_nodejs_compat_v2"
	})
	for _, f := range []string{"nodejs_compat", "nodejs_compat_v2"} {
		if !slices.Contains(flags, f) {
			flags = append(flags, f)
		}
	}
	cfg.CompatibilityFlags = flags
}

// toItself puts the Worker's name where a binding means the Worker itself.
func toItself(cfg *wrangler.Config) {
	if cfg.Name == "" {
		cfg.Name = "worker"
	}
	cfg.Services = slices.Clone(cfg.Services)
	for i := range cfg.Services {
		if cfg.Services[i].Service == "eddy:self" {
			cfg.Services[i].Service = cfg.Name
		}
	}
}

// more are options of Miniflare as a configuration.
func more(m testconfig.Miniflare) (date, text string, err error) {
	var config map[string]any
	if err := json.Unmarshal(m.Config, &config); err != nil {
		return "", "", err
	}
	if d, ok := config["compatibility_date"].(string); ok {
		date = d
	}
	delete(config, "compatibility_date")
	if len(m.Classes) > 0 {
		kinds := map[bool][]string{}
		for _, c := range m.Classes {
			kinds[c.SQLite] = append(kinds[c.SQLite], c.Name)
		}
		migration := map[string]any{"tag": "miniflare"}
		if len(kinds[true]) > 0 {
			migration["new_sqlite_classes"] = kinds[true]
		}
		if len(kinds[false]) > 0 {
			migration["new_classes"] = kinds[false]
		}
		config["migrations"] = []any{migration}
	}
	out, err := json.Marshal(config)
	return date, string(out), err
}

// codeOf is the entry of an auxiliary Worker: a file that the configuration names, or files made of what it has.
func codeOf(w testconfig.Miniflare, folder string) (string, error) {
	write := func(name, text string) (string, error) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return "", err
		}
		return path, os.WriteFile(path, []byte(text), 0o666)
	}
	switch {
	case len(w.Modules) > 0:
		var first string
		for i, m := range w.Modules {
			path := m.Path
			if m.Contents != nil {
				var err error
				if path, err = write(strings.TrimPrefix(filepath.ToSlash(path), "/"), *m.Contents); err != nil {
					return "", err
				}
			} else if !filepath.IsAbs(path) {
				return "", fmt.Errorf("miniflare.workers: module %s has no contents", path)
			}
			if i == 0 {
				first = path
			}
		}
		return first, nil
	case w.Script != nil:
		return write("index.js", *w.Script)
	case w.ScriptPath != "":
		return w.ScriptPath, nil
	}
	return "", errors.New("miniflare.workers: a Worker has neither script, scriptPath nor modules")
}

// renaming are the aliases of a project.
func renaming(p *testconfig.Project) func(string) (string, bool) {
	type rule struct {
		find, replacement string
		re                *regexp.Regexp
	}
	var rules []rule
	for _, a := range p.Alias {
		r := rule{find: a.Find, replacement: a.Replacement}
		if a.Regexp {
			re, err := regexp.Compile(a.Find)
			if err != nil {
				continue // Load has told of it
			}
			r.re = re
		} else if strings.HasSuffix(r.find, "/") && strings.HasSuffix(r.replacement, "/") {
			r.find, r.replacement = strings.TrimSuffix(r.find, "/"), strings.TrimSuffix(r.replacement, "/")
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil
	}
	return func(specifier string) (string, bool) {
		for _, r := range rules {
			var to string
			switch {
			case r.re != nil && r.re.MatchString(specifier):
				loc := r.re.FindStringSubmatchIndex(specifier)
				to = specifier[:loc[0]] +
					string(r.re.ExpandString(nil, goTemplate(r.replacement), specifier, loc)) + specifier[loc[1]:]
			case r.re == nil && (specifier == r.find || strings.HasPrefix(specifier, r.find+"/")):
				to = r.replacement + specifier[len(r.find):]
			default:
				continue
			}
			if strings.HasPrefix(to, "/") {
				if _, err := os.Stat(filepath.Dir(filepath.FromSlash(to))); err != nil {
					to = filepath.ToSlash(p.Root) + to
				}
			}
			return to, true
		}
		return "", false
	}
}

// goTemplate writes $1 of JavaScript as ${1}.
func goTemplate(s string) string { return dollars.ReplaceAllString(s, "$${$1}") }

var dollars = lazyregexp.New(`\$(\d+)`)
