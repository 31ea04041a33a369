package containers_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eddy/runtime/containers"
	"eddy/runtime/containers/containerstest"
	"eddy/runtime/statedir"
)

func noEnviron(string) string { return "" }

func open(t *testing.T, e *containerstest.Engine) *containers.Engine {
	t.Helper()
	engine, err := containers.Find(t.Context(), func(name string) string {
		return map[string]string{"EDDY_DOCKER": e.Host, "DOCKER_HOST": "unix:///nowhere"}[name]
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// The context is sent without what .dockerignore names, and with the Dockerfile whatever that says.
func TestBuildContext(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"Dockerfile": "FROM scratch\n",
		".dockerignore": "Dockerfile\nlogs\n*.tmp\n", "app/main.go": "package main\n", "app/x.tmp": "",
		"y.tmp": "", "logs/1": ""} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	fake := containerstest.Start(t)
	var said bytes.Buffer
	image := containers.Image{Dockerfile: filepath.Join(dir, "Dockerfile"), Context: dir}
	if err := open(t, fake).Prepare(t.Context(), image, "eddy-test:1", "", &said); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(fake.Built("eddy-test"), " ")
	if got != ".eddy.dockerfile .dockerignore app/ app/main.go app/x.tmp" {
		t.Error(got)
	}
	if said.String() != "Successfully built\n" {
		t.Error(said.String())
	}
}

// What fails in a build or a pull comes in the stream of its progress.
func TestPrepareFails(t *testing.T) {
	fake := containerstest.Start(t)
	fake.Break("COPY failed: no such file")
	engine := open(t, fake)
	file := filepath.Join(t.TempDir(), "Dockerfile")
	if err := os.WriteFile(file, []byte("FROM scratch\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, image := range map[string]containers.Image{
		"COPY failed: no such file":            {Dockerfile: file, Context: filepath.Dir(file)},
		"pull access denied for docker.io/a:1": {Reference: "docker.io/a:1"},
	} {
		err := engine.Prepare(t.Context(), image, "eddy-x:1", "", &bytes.Buffer{})
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestFind(t *testing.T) {
	_, err := containers.Find(t.Context(), noEnviron, "ssh://host")
	if err == nil || !strings.Contains(err.Error(), "only unix:// and tcp://") {
		t.Error(err)
	}
	if _, err = containers.Find(t.Context(), noEnviron, "unix:///nowhere/at/all"); err == nil {
		t.Error("an engine where none is")
	}
}

// A container whose session was killed is removed by the next one of any Worker; one whose session lives stays.
func TestSweep(t *testing.T) {
	fake := containerstest.Start(t)
	engine := open(t, fake)
	file := filepath.Join(t.TempDir(), "Dockerfile")
	if err := os.WriteFile(file, []byte("FROM scratch\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := engine.Prepare(t.Context(), containers.Image{Dockerfile: file, Context: filepath.Dir(file)}, "i:1", "",
		&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	state := statedir.Dir(t.TempDir())
	held, err := state.HoldWorker("alive")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := held.Release(); err != nil {
			t.Error(err)
		}
	})
	for _, worker := range []string{"alive", "killed", "own"} {
		labels := containers.Labels(state.WorkerLock(worker))
		start := containers.Launch{Name: worker + "-1", Image: "i:1", Labels: labels}
		if _, err := engine.Start(t.Context(), start); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := engine.Sweep(t.Context(), state.WorkerLock("own")); n != 2 || err != nil {
		t.Error(n, err)
	}
	if got := strings.Join(fake.Containers(), ","); got != "alive running" {
		t.Error(got)
	}
}

// Closing what lives removes every container, and waits for it.
func TestClose(t *testing.T) {
	fake := containerstest.Start(t)
	engine := open(t, fake)
	file := filepath.Join(t.TempDir(), "Dockerfile")
	if err := os.WriteFile(file, []byte("FROM scratch\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var live containers.Live
	app := containers.App{Class: "Box", Image: &containers.Image{Dockerfile: file, Context: filepath.Dir(file)},
		Live: &live, Engine: func(context.Context) (*containers.Engine, error) { return engine, nil }}
	started, ended := make(chan struct{}), make(chan error)
	go func() {
		_, err := app.Run(context.Background(), "0123456789abcdef", "", containers.Launch{},
			func(*containers.Container) { close(started) })
		ended <- err
	}()
	<-started
	if got := strings.Join(fake.Containers(), ","); got != "eddy-box-0123456789ab running" {
		t.Error(got)
	}
	closed := make(chan error)
	go func() { closed <- live.Close() }()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if got := fake.Containers(); got != nil {
		t.Error(got)
	}
	if _, err := app.Run(context.Background(), "1", "", containers.Launch{}, nil); err == nil {
		t.Error("started after the end")
	}
}
