package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"eddy/runtime/bundle"
	"eddy/runtime/report"
	"eddy/wrangler"
)

// customBuildGrace is how long the session still reads the output of a command after the command has ended.
const customBuildGrace = 200 * time.Millisecond

// customBuild runs the build.command of a configuration, if it has one, and waits for its end. Each line that it prints
// is reported. The command and all processes that it has started end with ctx. A command that fails is a mistake of the
// user and gives a *bundle.BuildError.
func (s *Session) customBuild(ctx context.Context, cfg *wrangler.Config) error {
	if cfg.Build.Command == "" {
		return nil
	}
	s.lines.Line(report.Info, "build", fmt.Sprintf("Running custom build: %s", cfg.Build.Command),
		report.F("worker", cfg.Name))
	out := &lineWriter{line: func(text string) {
		s.lines.Line(report.Info, "build", s.lines.Paint("dim", "[custom build]")+" "+text,
			report.F("worker", cfg.Name))
	}}
	cmd := shellCommand(ctx, cfg.Build.Command)
	cmd.Dir = cfg.Build.Cwd
	cmd.Env = append(slices.Clone(s.opts.Environ), "WRANGLER_COMMAND=dev")
	cmd.Env = append(cmd.Env, toolPath(cfg.ProjectDir, s.opts.Environ)...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = customBuildGrace
	err := cmd.Run()
	out.flush()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return &bundle.BuildError{Messages: []bundle.BuildMessage{{
			Text:       fmt.Sprintf("Running custom build `%s` failed: %v", cfg.Build.Command, err),
			Suggestion: "what it printed is above; build.command runs in " + cfg.Build.Cwd,
		}}}
	}
	if info, err := os.Stat(cfg.Main); cfg.Main != "" && (err != nil || !info.Mode().IsRegular()) {
		return &bundle.BuildError{Messages: []bundle.BuildMessage{{
			Text: fmt.Sprintf("The entry-point file %s was not found after the custom build `%s`.", cfg.Main,
				cfg.Build.Command),
			Suggestion: "correct main, or let the command write this file",
		}}}
	}
	return nil
}

// toolPath is the PATH entry of environ with the node_modules/.bin of dir and of the folders above it in front. npx and
// npm scripts set it so; a command can then name the tools that the project has installed. If environ has no PATH,
// toolPath is nil.
func toolPath(dir string, environ []string) []string {
	for _, entry := range slices.Backward(environ) { // the last of several entries counts
		name, path, _ := strings.Cut(entry, "=")
		if name != "PATH" && (runtime.GOOS != "windows" || !strings.EqualFold(name, "PATH")) {
			continue
		}
		var folders []string
		for at, above := "", dir; at != above; {
			at, above = above, filepath.Dir(above)
			folders = append(folders, filepath.Join(at, "node_modules", ".bin"))
		}
		return []string{name + "=" + strings.Join(append(folders, path), string(filepath.ListSeparator))}
	}
	return nil
}

// lineWriter cuts what is written into lines.
type lineWriter struct {
	line func(string)
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		w.line(strings.TrimRight(string(line), "\r"))
		w.rest = rest
	}
}

func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		w.line(string(w.rest))
		w.rest = nil
	}
}

// sourcesOf lists the files and folders below folders. A folder that does not exist has none.
func sourcesOf(folders []string) (bundle.WatchSet, error) {
	var set bundle.WatchSet
	for _, root := range folders {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist): // or a file that was removed since its folder was read
				return nil
			case err != nil:
				return err
			case !d.IsDir():
				set.Files = append(set.Files, path)
			case path != root && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == ".wrangler"):
				return filepath.SkipDir
			default:
				set.Folders = append(set.Folders, path)
			}
			return nil
		})
		if err != nil {
			return set, fmt.Errorf("watch %s: %w", root, err)
		}
	}
	return set, nil
}
