package running

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"eddy/runtime/clock"
)

// Registered is a session in the registry: a directory of the user's with a file for each session that runs, as
// wrangler's dev registry. With it commands find a session whose state lies elsewhere (--ephemeral, --persist-to), and
// sessions find each other's Workers.
type Registered struct {
	Process
	// Configs are the configuration files of its Workers, absolute; Dir the directory of a script that has none.
	Configs []string `json:"configs"`
	Dir     string   `json:"dir,omitempty"`
	// Env is the environment of the configurations.
	Env string `json:"env,omitempty"`
	// Ephemeral says that its state is gone when it ends.
	Ephemeral bool `json:"ephemeral,omitempty"`
	// Queues are those that its Workers consume.
	Queues []string `json:"queues,omitempty"`
	// Refers are the Workers that its own refer to, and Sends the queues they send to, that the session does not have.
	Refers []string `json:"refers,omitempty"`
	Sends  []string `json:"sends,omitempty"`
}

// RegistryDir is where sessions register: EDDY_REGISTRY, or a folder of the user's cache. environ is the process's
// environment. If it is empty, or does not say where the user's files are, there is no registry, and RegistryDir is "".
func RegistryDir(environ []string) string {
	if dir := variable(environ, "EDDY_REGISTRY"); dir != "" {
		return dir
	}
	return ofCache(environ, "sessions")
}

// CodeDir is where machine code of WebAssembly is kept, and BundleDir where bundles are: in EDDY_CACHE, which may be
// "off", or in a folder of the user's cache. They are "" where there is none, as RegistryDir is.
func CodeDir(environ []string) string { return kept(environ, "wasm") }

// BundleDir is described at [CodeDir].
func BundleDir(environ []string) string { return kept(environ, "bundles") }

func kept(environ []string, name string) string {
	switch dir := variable(environ, "EDDY_CACHE"); {
	case dir == "off":
		return ""
	case filepath.IsAbs(dir):
		return filepath.Join(dir, name)
	}
	return ofCache(environ, name)
}

// variable is the last value of a name in an environment.
func variable(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// ofCache is a folder of eddy's in the user's cache.
func ofCache(environ []string, name string) string {
	cache := variable(environ, "XDG_CACHE_HOME")
	switch home := variable(environ, "HOME"); {
	case runtime.GOOS == "windows":
		cache = variable(environ, "LocalAppData")
	case runtime.GOOS == "darwin" && home != "":
		cache = filepath.Join(home, "Library", "Caches")
	case cache == "" && home != "":
		cache = filepath.Join(home, ".cache")
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "eddy", name)
}

// Register writes a session's file into a registry; withdraw removes it. A session may register again, which replaces
// what it said before.
func Register(dir string, r Registered) (withdraw func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("register the session: %w", err)
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("register the session: %w", err)
	}
	name := make([]byte, 8)
	if _, err := rand.Read(name); err != nil {
		return nil, fmt.Errorf("register the session: %w", err)
	}
	path := filepath.Join(dir, hex.EncodeToString(name)+".json")
	if err := os.WriteFile(path, append(b, '\n'), 0o600); err != nil {
		return nil, fmt.Errorf("register the session: %w", err)
	}
	return func() error {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("withdraw the session: %w", err)
		}
		return nil
	}, nil
}

// askPatience bounds how long a registered session may take to say who it is. The machine's clock counts, less what
// this process stood still.
const askPatience = 3 * time.Second

// Sessions lists the sessions of a registry that run, oldest first. It removes the file of a session that no longer
// answers, and passes over a file that cannot be read.
func Sessions(ctx context.Context, dir string) []Registered { return Others(ctx, dir, Process{}) }

// Others is Sessions without one of them, the caller's own, which it need not ask.
func Others(ctx context.Context, dir string, own Process) []Registered {
	if dir == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil
	}
	var all sync.WaitGroup
	found := make([]*Registered, len(files))
	for i, path := range files {
		all.Go(func() {
			r, ok := readRegistered(path)
			if ok && (r.PID != own.PID || r.URL != own.URL) && r.runs(ctx, path) {
				found[i] = &r
			}
		})
	}
	all.Wait()
	var out []Registered
	for _, r := range found {
		if r != nil {
			out = append(out, *r)
		}
	}
	slices.SortFunc(out, func(a, b Registered) int { return a.Started.Compare(b.Started) })
	return out
}

// maxRegistered bounds a file of the registry. A bigger file is not a session's.
const maxRegistered = 1 << 20

func readRegistered(path string) (r Registered, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) > maxRegistered {
		return r, false
	}
	return r, json.Unmarshal(b, &r) == nil && r.URL != ""
}

// runs asks a session who it is.
func (r Registered) runs(ctx context.Context, path string) bool {
	c, err := Dial(r.URL, "")
	if err != nil {
		return false
	}
	defer c.http.CloseIdleConnections()
	ctx, cancel := clock.WithPatience(ctx, min(askPatience, patience(r.PID)))
	defer cancel()
	is, err := c.Session(ctx)
	// For a session that has joined another one, that one answers.
	if err == nil && (is.PID == r.PID || slices.ContainsFunc(is.Guests, func(g Guest) bool { return g.PID == r.PID })) {
		return true
	}
	if err == nil || errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(path) // the next one who looks tries again
	}
	return false
}
