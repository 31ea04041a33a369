package wrangler

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// maxFileSize bounds configuration and dotenv files. A larger file is not one of them.
const maxFileSize = 1 << 20

// Options are the command line and environment settings that a configuration is read with. The zero Options read the
// top level with today's date.
type Options struct {
	Env      string   // --env; if empty, CLOUDFLARE_ENV of Environ
	Vars     []string // --var NAME:VALUE; win over everything of that name
	EnvFiles []string // --env-file, relative to the configuration; if any, .dev.vars is not read
	// Secrets says that EnvFiles are those of eddy serve --secrets-file: one that is not there is a mistake. Several
	// says that other configurations are read with the same Options; only an absolute path must be there then.
	Secrets, Several bool

	Name               string   // --name
	Main               string   // the script argument, relative to WorkingDir
	CompatibilityDate  string   // --compatibility-date
	CompatibilityFlags []string // --compatibility-flags; replace those of the file
	Overrides          Overrides
	WorkingDir         string // where paths of the command line start; default the process's

	Now      time.Time // for "today"; default time.Now
	Environ  []string  // NAME=VALUE of the process; nil means none is looked at
	UserPath string    // Location.UserPath after a redirect; default: the path that is loaded

	// RequireMain makes a configuration without an entry file (or whose entry file does not exist) an error, for
	// callers that are going to run it.
	RequireMain bool
}

// environ looks a process variable up.
func (o *Options) environ(name string) string {
	for i := len(o.Environ) - 1; i >= 0; i-- {
		if key, value, ok := strings.Cut(o.Environ[i], "="); ok && key == name {
			return value
		}
	}
	return ""
}

// Load reads one configuration file and the dotenv files beside it. The Config is never nil; it must not be used
// when the Diagnostics have errors.
func Load(path string, opts Options) (*Config, Diagnostics) {
	var rep report
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if opts.Now.IsZero() {
		opts.Now = time.Now()
	}
	if opts.Env == "" {
		opts.Env = opts.environ("CLOUDFLARE_ENV")
	}
	cfg := &Config{Path: path, Dir: filepath.Dir(path), ProjectDir: filepath.Dir(path), Env: opts.Env,
		Format: formatOf(path)}
	redirected := opts.UserPath != "" && opts.UserPath != path
	if redirected {
		cfg.ProjectDir = filepath.Dir(opts.UserPath)
	}
	src, root := readFile(path, &rep)
	if root == nil {
		return cfg, rep.sorted()
	}
	cfg.src = src
	s := &scope{reader: &reader{src: src, rep: &rep}, top: root, redirected: redirected}
	if redirected {
		s.checkRedirected(opts.Env)
	} else if opts.Env != "" {
		// The reference checks the top level even when an environment is active; the values are read again below.
		discard := *cfg
		s.readInto(&discard)
		s.enter(opts.Env)
	}
	s.readInto(cfg)
	s.warnUnknownKeys()
	cfg.readSettings(&rep)
	cfg.applyOptions(s, opts)
	s.checkWhole(cfg, opts)
	return cfg, rep.sorted()
}

// formatOf tells the format from the file name, as the reference does.
func formatOf(path string) Language {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		return TOML
	case ".json":
		return JSON
	default:
		return JSONC
	}
}

// readFile reads and decodes a configuration file. root is nil after an error, and otherwise an object.
func readFile(path string, rep *report) (src *source, root *node) {
	text, problem := readText(path)
	if problem != nil {
		rep.add(*problem)
		return nil, nil
	}
	src = newSource(path, text, formatOf(path))
	if src.format == TOML {
		root = decodeTOML(src, rep)
	} else {
		root = decodeJSONC(src, rep)
	}
	if root != nil && root.kind != objectNode {
		rep.add(at(src, root.span, Error,
			fmt.Sprintf("The configuration should be an object but got %s.", root.shortJSON()),
			`write { "name": "my-worker", "main": "src/index.ts" }`))
		return src, nil
	}
	return src, root
}

// readText reads a text file, without the byte order mark some editors leave.
func readText(path string) (string, *Diagnostic) {
	fail := func(text, fix string, notes ...string) (string, *Diagnostic) {
		return "", &Diagnostic{Severity: Error, File: path, Text: text, Fix: fix, Notes: notes}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fix := "check the path"
		for _, name := range fileNames {
			beside := filepath.Join(filepath.Dir(path), name)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				fix = fmt.Sprintf("did you mean %s?", name)
				break
			}
		}
		return fail("Could not read file: "+path, fix, "There is no such file.")
	case err != nil:
		return fail("Could not read file: "+path, "check the path and its permissions", systemReason(err))
	case info.IsDir() && strings.HasPrefix(filepath.Base(path), "."):
		return fail("Could not read file: "+path, "put a file in its place, or remove it", "It is a directory.")
	case info.IsDir():
		return fail("Could not read file: "+path, "name the file itself, e.g. "+filepath.Join(path, "wrangler.jsonc"),
			"It is a directory.")
	case info.Size() > maxFileSize:
		return fail("Could not read file: "+path, "check the path", "It is too large for a configuration file.")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail("Could not read file: "+path, "check the path and its permissions", systemReason(err))
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		return fail("Could not read file: "+path, "save the file as UTF-8", "It is not valid UTF-8.")
	}
	return text, nil
}

// readInto reads every section of the scope.
func (s *scope) readInto(cfg *Config) {
	s.readIdentity(cfg)
	s.readCompatibility(cfg)
	s.readVars(cfg)
	s.readQueues(cfg)
	s.readDurableObjects(cfg)
	s.readServices(cfg)
	s.readTriggers(cfg)
	s.readStorage(cfg)
	s.readPlatform(cfg)
	s.readWorkflowExports(cfg)
	s.readBlobs(cfg)
	s.readUnserved(cfg)
	s.readAssets(cfg)
	s.readBuild(cfg)
	s.readDev(cfg)
	s.readDeployment(cfg)
}

// systemReason is why the system refused a file, without the call and the path that Go puts in front.
func systemReason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return strings.ToUpper(err.Error()[:1]) + err.Error()[1:] + "."
}
