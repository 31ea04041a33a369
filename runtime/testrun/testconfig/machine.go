package testconfig

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/dop251/goja"

	"eddy/runtime/bundle"
	"eddy/runtime/engine/host"
	"eddy/runtime/sqlite"
	"eddy/runtime/worker"
	"eddy/wrangler"
)

// machine is what programs reach of the machine: files and commands. Loop goroutine.
type machine struct {
	iso     *worker.Isolate
	options Options
	dir     string
}

// object is the machine as standins.js sees it. Functions that can fail give {value} or {failed}.
func (m *machine) object() *goja.Object {
	rt := m.iso.Runtime()
	o := rt.NewObject()
	_ = o.Set("root", m.options.Root)
	set := func(name string, f func(fc goja.FunctionCall) goja.Value) {
		_ = o.Set(name, m.iso.Realm.Function(name, f))
	}
	file := func(name string, f func(path string, fc goja.FunctionCall) (any, error)) {
		set(name, func(fc goja.FunctionCall) goja.Value {
			v, err := f(fc.Argument(0).String(), fc)
			if err != nil {
				code, text := codeOf(err)
				return rt.ToValue(map[string]any{"failed": map[string]any{"code": code, "text": text}})
			}
			out := rt.NewObject()
			_ = out.Set("value", v)
			return out
		})
	}
	m.files(file)
	file("listen", func(_ string, fc goja.FunctionCall) (any, error) { return m.listen(fc) })
	set("glob", func(fc goja.FunctionCall) goja.Value {
		ok, err := doublestar.Match(fc.Argument(0).String(), fc.Argument(1).String())
		return rt.ToValue(ok && err == nil)
	})
	set("run", m.run)
	set("print", func(fc goja.FunctionCall) goja.Value {
		m.options.Console(host.ConsoleLine{Level: "log", Text: strings.TrimSuffix(fc.Argument(0).String(), "\n")})
		return goja.Undefined()
	})
	set("load", func(fc goja.FunctionCall) goja.Value {
		ns, err := m.iso.Namespace(bundle.ModulesName)
		if err != nil {
			panic(m.iso.Realm.ErrorValue(err))
		}
		load, _ := goja.AssertFunction(ns.Get("load"))
		v, err := load(ns, fc.Argument(0))
		if err != nil {
			panic(m.iso.Realm.ErrorValue(err))
		}
		return v
	})
	set("statements", func(fc goja.FunctionCall) goja.Value {
		list := []any{}
		for _, s := range statements(fc.Argument(0).String()) {
			list = append(list, s)
		}
		return rt.NewArray(list...)
	})
	set("dotenv", func(fc goja.FunctionCall) goja.Value {
		out := rt.NewObject()
		for _, pair := range wrangler.ParseDotenv(fc.Argument(0).String()) {
			_ = out.Set(pair[0], pair[1])
		}
		return out
	})
	return o
}

// statements are those of a migration, without what has no content (TEST-61).
func statements(sql string) (list []string) {
	for sql != "" {
		var statement string
		statement, sql = sqlite.Cut(sql)
		statement = strings.TrimSpace(statement)
		if strings.Trim(comments().ReplaceAllString(statement, ""), "; \t\r\n") != "" {
			list = append(list, statement)
		}
	}
	return list
}

var comments = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)--.*$|(?s)/\*.*?\*/`)
})

// files are the functions of node:fs that the machine has.
func (m *machine) files(file func(name string, f func(path string, fc goja.FunctionCall) (any, error))) {
	rt := m.iso.Runtime()
	file("readFile", func(path string, _ goja.FunctionCall) (any, error) {
		data, err := os.ReadFile(path)
		return rt.NewArrayBuffer(data), err
	})
	file("writeFile", func(path string, fc goja.FunctionCall) (any, error) {
		data := fc.Argument(1).Export().(goja.ArrayBuffer)
		flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if fc.Argument(2).ToBoolean() {
			flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
		}
		f, err := os.OpenFile(path, flags, 0o666)
		if err != nil {
			return nil, err
		}
		_, err = f.Write(data.Bytes())
		return nil, errors.Join(err, f.Close())
	})
	file("stat", func(path string, fc goja.FunctionCall) (any, error) {
		stat := os.Lstat
		if fc.Argument(1).ToBoolean() {
			stat = os.Stat
		}
		info, err := stat(path)
		if err != nil {
			return nil, err
		}
		return map[string]any{"size": info.Size(), "mode": int64(info.Mode().Perm()), "kind": kindOf(info.Mode()),
			"mtimeMs": info.ModTime().UnixMilli()}, nil
	})
	file("readdir", func(path string, fc goja.FunctionCall) (any, error) {
		list := []any{}
		recursive := fc.Argument(1).ToBoolean()
		err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err != nil || p == path {
				return err
			}
			name, err := filepath.Rel(path, p)
			list = append(list, map[string]any{"name": filepath.ToSlash(name), "kind": kindOf(d.Type())})
			if err == nil && d.IsDir() && !recursive {
				return filepath.SkipDir
			}
			return err
		})
		return rt.NewArray(list...), err
	})
	file("mkdir", func(path string, fc goja.FunctionCall) (any, error) {
		if fc.Argument(1).ToBoolean() {
			return nil, os.MkdirAll(path, 0o777)
		}
		return nil, os.Mkdir(path, 0o777)
	})
	file("mkdtemp", func(path string, _ goja.FunctionCall) (any, error) {
		return os.MkdirTemp(filepath.Dir(path), filepath.Base(path)+"*")
	})
	file("rm", func(path string, fc goja.FunctionCall) (any, error) {
		err := os.Remove(path)
		if fc.Argument(1).ToBoolean() {
			err = os.RemoveAll(path)
		}
		if fc.Argument(2).ToBoolean() && errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	})
	file("realpath", func(path string, _ goja.FunctionCall) (any, error) { return filepath.EvalSymlinks(path) })
	file("rename", func(path string, fc goja.FunctionCall) (any, error) {
		return nil, os.Rename(path, fc.Argument(1).String())
	})
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "directory"
	case mode&fs.ModeSymlink != 0:
		return "link"
	}
	return "file"
}

// codeOf is an error as Node names it.
func codeOf(err error) (code, text string) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "ENOENT", "no such file or directory"
	case errors.Is(err, fs.ErrExist):
		return "EEXIST", "file already exists"
	case errors.Is(err, fs.ErrPermission):
		return "EACCES", "permission denied"
	case inUse(err):
		return "EADDRINUSE", "address already in use"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return "EIO", err.Error()
}

// ErrNotServed is the error of Options.Build for a command that eddy does not have.
var ErrNotServed = errors.New("eddy does not serve this command in the configuration of tests")

// wranglerCommand is a command that this program serves itself, however it is started.
var wranglerCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^\s*(?:(?:npx|bunx|pnpx|pnpm(?: exec| dlx)?|yarn(?: exec| run)?|` +
			`npm exec(?: --)?)\s+)?(?:\S*/)?wrangler\s+(.*)$`)
})

// run is run(command, arguments, directory, environment, shell, input) and gives {code, stdout, stderr}.
func (m *machine) run(fc goja.FunctionCall) goja.Value {
	var args, environ []string
	rt := m.iso.Runtime()
	if err := errors.Join(rt.ExportTo(fc.Argument(1), &args), rt.ExportTo(fc.Argument(3), &environ)); err != nil {
		panic(m.iso.Realm.ErrorValue(err))
	}
	command, dir := fc.Argument(0).String(), fc.Argument(2).String()
	out := func(code int, stdout, stderr string) goja.Value {
		return rt.ToValue(map[string]any{"code": code, "stdout": stdout, "stderr": stderr})
	}
	line := strings.Join(append([]string{command}, args...), " ")
	if match := wranglerCommand().FindStringSubmatch(line); match != nil {
		text, err := m.options.Build(context.Background(), dir, strings.Fields(match[1]))
		if errors.Is(err, ErrNotServed) {
			panic(m.iso.Realm.NewError("Error", err.Error()))
		}
		if err != nil {
			return out(1, text, err.Error())
		}
		return out(0, text, "")
	}
	name := command
	if fc.Argument(4).ToBoolean() {
		name, args = shell(line)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environ, strings.NewReader(fc.Argument(5).String())
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return out(exit.ExitCode(), stdout.String(), stderr.String())
	case err != nil:
		panic(m.iso.Realm.NewError("Error", err.Error()))
	}
	return out(0, stdout.String(), stderr.String())
}

// shell is how a line of text is run.
func shell(line string) (string, []string) {
	if runtime.GOOS == "windows" {
		return "cmd.exe", []string{"/d", "/s", "/c", line}
	}
	return "/bin/sh", []string{"-c", line}
}
