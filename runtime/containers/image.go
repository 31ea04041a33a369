package containers

import (
	"archive/tar"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// platform is the one that the platform runs, and so the one that images are built and pulled for.
const platform = "linux/amd64"

// Image is where an image comes from.
type Image struct {
	// Dockerfile is a path, Context the folder that it may copy from, Args its build arguments.
	Dockerfile, Context string
	Args                map[string]string
	// Reference names an image of a registry, if Dockerfile is "".
	Reference string
}

// Prepare builds an image and gives it the name tag, or pulls one that is not there. Progress is written to out, line
// by line. If the engine's own command is installed (program, "" for none) that builds and pulls, because it knows
// BuildKit and the credentials of registries.
func (e *Engine) Prepare(ctx context.Context, i Image, tag, program string, out io.Writer) error {
	switch {
	case i.Dockerfile == "" && e.has(ctx, i.Reference):
		return nil
	case i.Dockerfile == "":
		return e.pull(ctx, i.Reference, program, out)
	case program != "":
		args := []string{"build", "-t", tag, "--platform", platform, "-f", i.Dockerfile}
		for name, value := range i.Args {
			args = append(args, "--build-arg", name+"="+value)
		}
		return e.run(ctx, out, program, append(args, i.Context)...)
	}
	return e.build(ctx, i, tag, out)
}

// has tells whether the engine has an image.
func (e *Engine) has(ctx context.Context, reference string) bool {
	_, err := e.exposed(ctx, reference)
	return err == nil
}

// run runs the engine's own command against the engine.
func (e *Engine) run(ctx context.Context, out io.Writer, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+e.Host)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, args[0], err)
	}
	return nil
}

func (e *Engine) pull(ctx context.Context, reference, program string, out io.Writer) error {
	if program != "" {
		return e.run(ctx, out, program, "pull", "--platform", platform, reference)
	}
	res, err := e.send(ctx, http.MethodPost, "/images/create?"+url.Values{"fromImage": {reference},
		"platform": {platform}}.Encode(), "", nil)
	if err != nil {
		return err
	}
	return errors.Join(progress(res.Body, out), res.Body.Close())
}

// build sends the context as a tar archive.
func (e *Engine) build(ctx context.Context, i Image, tag string, out io.Writer) error {
	args, err := json.Marshal(i.Args)
	if err != nil {
		return err
	}
	query := url.Values{"t": {tag}, "dockerfile": {dockerfileName}, "platform": {platform}, "rm": {"1"},
		"forcerm": {"1"}}
	if len(i.Args) > 0 {
		query.Set("buildargs", string(args))
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(i.archive(w)) }() // never fails
	res, err := e.send(ctx, http.MethodPost, "/build?"+query.Encode(), "application/x-tar", r)
	_ = r.Close() // never fails
	if err != nil {
		return err
	}
	return errors.Join(progress(res.Body, out), res.Body.Close())
}

// progress copies what a build or a pull tells. The error of either is in the stream.
func progress(r io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		var said struct{ Stream, Status, Error string }
		if json.Unmarshal(lines.Bytes(), &said) != nil {
			continue
		}
		if said.Error != "" {
			return errors.New(said.Error)
		}
		if text := strings.TrimRight(said.Stream+said.Status, "\n"); text != "" {
			if _, err := fmt.Fprintln(out, text); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// dockerfileName is the Dockerfile's in the archive: it may lie outside of the context, or be ignored in it.
const dockerfileName = ".eddy.dockerfile"

// archive writes the context without what .dockerignore names.
func (i Image) archive(to io.Writer) error {
	ignored, err := ignores(i.Dockerfile, i.Context)
	if err != nil {
		return err
	}
	w := tar.NewWriter(to)
	text, err := os.ReadFile(i.Dockerfile)
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: dockerfileName, Mode: 0o644, Size: int64(len(text))}); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	err = filepath.WalkDir(i.Context, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(i.Context, path)
		if err != nil || name == "." {
			return err
		}
		skip, err := ignored.MatchesOrParentMatches(name)
		if err != nil {
			return err
		}
		if skip {
			if d.IsDir() && !ignored.Exclusions() {
				return filepath.SkipDir
			}
			return nil
		}
		return add(w, path, filepath.ToSlash(name), d)
	})
	return errors.Join(err, w.Close())
}

// add writes one file of the context. Its owner is root, as docker build has it.
func add(w *tar.Writer, path, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	link := ""
	switch {
	case d.Type()&fs.ModeSymlink != 0:
		if link, err = os.Readlink(path); err != nil {
			return err
		}
	case !d.IsDir() && !d.Type().IsRegular():
		return nil // sockets and the like are in no image
	}
	h, err := tar.FileInfoHeader(info, link)
	if err != nil {
		return err
	}
	h.Name, h.Uid, h.Gid, h.Uname, h.Gname = name, 0, 0, "", ""
	if d.IsDir() {
		h.Name += "/"
	}
	if err := w.WriteHeader(h); err != nil || !d.Type().IsRegular() {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

// ignores reads the .dockerignore of a Dockerfile, or else of the context.
func ignores(dockerfile, context string) (*patternmatcher.PatternMatcher, error) {
	for _, path := range []string{dockerfile + ".dockerignore", filepath.Join(context, ".dockerignore")} {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		patterns, err := ignorefile.ReadAll(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		return patternmatcher.New(patterns)
	}
	return patternmatcher.New(nil)
}
