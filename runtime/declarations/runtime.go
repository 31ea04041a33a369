package declarations

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
)

// ErrNoWorkerd says that a project has no workerd to ask.
var ErrNoWorkerd = errors.New("no workerd is installed in the project")

// Workerd is an installed workerd: its version, its program, and the script of its package that writes declarations.
type Workerd struct{ Version, program, script string }

// platforms are the names that npm packages of workerd have.
var platforms = map[string]string{
	"linux/amd64": "linux-64", "linux/arm64": "linux-arm64", "darwin/amd64": "darwin-64",
	"darwin/arm64": "darwin-arm64", "windows/amd64": "windows-64",
}

// FindWorkerd looks for the npm package workerd as Node would from a folder: that of wrangler, whose own file must be
// the same, or else the project's. Without one it returns ErrNoWorkerd.
func FindWorkerd(dir string) (*Workerd, error) {
	for {
		modules := filepath.Join(dir, "node_modules")
		var candidates []string
		if at, err := filepath.EvalSymlinks(filepath.Join(modules, "wrangler")); err == nil {
			candidates = []string{filepath.Join(at, "node_modules", "workerd"),
				filepath.Join(filepath.Dir(at), "workerd")}
		}
		for _, c := range append(candidates, filepath.Join(modules, "workerd")) {
			if w := workerdIn(c); w != nil {
				return w, nil
			}
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return nil, ErrNoWorkerd
	}
}

// workerdIn is the workerd of a package, nil if there is none that this machine can run.
func workerdIn(dir string) *Workerd {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var manifest struct{ Version string }
	if err != nil || json.Unmarshal(text, &manifest) != nil {
		return nil
	}
	w := &Workerd{Version: manifest.Version, script: filepath.Join(dir, "worker.mjs")}
	if info, err := os.Stat(w.script); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	name := "workerd"
	if goruntime.GOOS == "windows" {
		name += ".exe"
	}
	platform := filepath.Join("@cloudflare", "workerd-"+platforms[goruntime.GOOS+"/"+goruntime.GOARCH], "bin", name)
	for _, program := range []string{
		filepath.Join(dir, "node_modules", platform), filepath.Join(filepath.Dir(dir), platform),
	} {
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
			w.program = program
			return w
		}
	}
	return nil
}

// Header is the line above the declarations of the platform.
func (w *Workerd) Header(date string, flags []string) string {
	header := runtimeHeader + w.Version + " " + date
	if len(flags) > 0 {
		flags = slices.Sorted(slices.Values(flags))
		header += " " + strings.Join(flags, ",")
	}
	return header
}

// asked is the configuration of a workerd that answers with declarations. Its date is part of the script's needs and
// says nothing of the declarations.
const asked = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "declarations", worker = .declarations)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "declarations")],
);
const declarations :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "2024-01-01",
  compatibilityFlags = ["nodejs_compat", "rtti_api"],
);
`

// Declare starts the workerd on a port of the loopback interface, asks it for the declarations of the platform at a
// date with flags, and ends it. It takes a second, and ends with ctx.
func (w *Workerd) Declare(ctx context.Context, date string, flags []string) (text string, err error) {
	dir, err := os.MkdirTemp("", "eddy-types-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	script, err := os.ReadFile(w.script)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "worker.mjs"), script, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.capnp"), []byte(asked), 0o600)
	}
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, w.program, "serve", "config.capnp", "--experimental", "--control-fd=1")
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return "", err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return "", err
	}
	port, failed := listening(out)
	if failed == nil {
		text, err = fetch(ctx, fmt.Sprintf("http://127.0.0.1:%d/%s", port, path(date, flags)))
	}
	cancel()
	_ = cmd.Wait() // it was killed; what it said is complete
	if failed != nil {
		err = fmt.Errorf("%s: %w: %s", w.program, failed, strings.TrimSpace(said.String()))
	}
	return text, err
}

// path names the date and flags to the script. What Node's modules declare it does not tell.
func path(date string, flags []string) string {
	path := date
	for _, flag := range flags {
		if !strings.Contains(flag, "nodejs_compat") {
			path += "+" + flag
		}
	}
	if date >= "2026-08-04" { // Node's modules are on without a flag
		path += "+no_nodejs_compat+no_nodejs_compat_v2"
	}
	return path
}

// listening reads on which port workerd listens.
func listening(out io.Reader) (port int, err error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var event struct {
			Event string
			Port  int
		}
		if json.Unmarshal(lines.Bytes(), &event) == nil && event.Event == "listen" {
			return event.Port, nil
		}
	}
	return 0, errors.New("it ended before it listened")
}

func fetch(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	res, err := (&http.Client{Transport: &http.Transport{}}).Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("workerd answers: %s", strings.TrimSpace(string(text)))
	}
	return string(text), err
}

// SameRuntime tells whether a header of the platform's declarations is about a date and flags, whatever workerd made
// them.
func SameRuntime(header, date string, flags []string) bool {
	rest, ok := strings.CutPrefix(header, runtimeHeader)
	if !ok {
		return false
	}
	version, _, _ := strings.Cut(rest, " ")
	return header == (&Workerd{Version: version}).Header(date, flags)
}
