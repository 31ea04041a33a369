package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// workers are the projects that are measured, in a temporary folder.
type workers struct {
	dir   string
	npm   bool // packages are installed
	sides []*side
	rest  []string // what is not measured, and why
}

func newWorkers(tmp string, o options) (*workers, error) {
	w := &workers{dir: filepath.Join(tmp, "worker")}
	if err := os.CopyFS(w.dir, os.DirFS("testdata/bench/worker")); err != nil {
		return nil, err
	}
	switch {
	case o.noNPM:
		w.rest = append(w.rest, "computations and starts of npm packages: -no-npm")
	case found("npm") == "":
		w.rest = append(w.rest, "computations and starts of npm packages: npm is not installed")
	default:
		install := exec.Command("npm", "install", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund",
			"--loglevel=error")
		install.Dir = w.dir
		if out, err := install.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm install: %w\n%s", err, out)
		}
		w.npm = true
	}
	w.sides = append(w.sides, &side{name: "eddy", command: eddyCommand(o.eddy), configured: true, lanes: true})
	if o.before != "" {
		before, err := filepath.Abs(o.before)
		if err != nil {
			return nil, err
		}
		w.sides = append(w.sides, &side{name: "before", command: eddyCommand(before), configured: true,
			lanes: true})
	}
	if o.wrangler == "" {
		w.rest = append(w.rest, "wrangler dev: not on the path; -wrangler says where it is")
	} else {
		w.sides = append(w.sides, &side{name: "wrangler", command: wranglerCommand(o.wrangler), configured: true})
	}
	if o.workerd == "" {
		w.rest = append(w.rest, "workerd alone: not on the path; -workerd says where it is")
	} else {
		w.sides = append(w.sides, &side{name: "workerd", command: workerdCommand(o.workerd)})
	}
	for _, s := range w.sides {
		s.tells = o.keepsTold
	}
	return w, nil
}

// main is the entry file of a side.
func (w *workers) main(s *side) string {
	name := "index.js"
	if w.npm {
		name = "full.js"
	}
	if !s.configured {
		name = map[string]string{"index.js": "bare.js", "full.js": "barefull.js"}[name]
	}
	return name
}

// project makes a project of its own for one start of a side: its entry file, or the one in start/.
func (w *workers) project(s *side, entry string) (string, error) {
	dir, err := os.MkdirTemp(w.dir, s.name+"-")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(w.dir, entry))
	if err != nil {
		return "", err
	}
	from := "../"
	if strings.HasPrefix(entry, "start/") {
		from = "./"
	}
	lanes := s.lanes && !strings.HasPrefix(entry, "start/")
	if lanes {
		text = append(text, "export { Lanes } from \"./lanes.js\";\n"...)
	}
	script := strings.ReplaceAll(string(text), `from "./`, `from "`+from)
	if err := os.WriteFile(filepath.Join(dir, "index.js"), []byte(script), 0o666); err != nil {
		return "", err
	}
	if s.configured {
		config, err := os.ReadFile(filepath.Join(w.dir, filepath.Dir(entry), "wrangler.jsonc"))
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(entry, "start/") && entry != "start/agents.js" {
			config = []byte(`{"name": "bench", "main": "index.js", "compatibility_date": "2026-04-01"}`)
		}
		if lanes {
			config = []byte(strings.NewReplacer(`"Counter" }]`, `"Counter" }, { "name": "LANES", "class_name": "Lanes" }]`,
				`["Counter"]`, `["Counter", "Lanes"]`).Replace(string(config)))
		}
		return dir, os.WriteFile(filepath.Join(dir, "wrangler.jsonc"), config, 0o666)
	}
	return dir, w.bundle(dir)
}

// bundle makes of index.js the one file that workerd's configuration embeds, with the esbuild that eddy has.
func (w *workers) bundle(dir string) error {
	if err := bundleFile(filepath.Join(dir, "index.js"), filepath.Join(dir, "bundle.js")); err != nil {
		return err
	}
	config, err := os.ReadFile(filepath.Join(w.dir, "workerd.capnp"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "workerd.capnp"), config, 0o666)
}
