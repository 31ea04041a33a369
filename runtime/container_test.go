package runtime

import (
	"strings"
	"testing"
	"time"

	"eddy/runtime/containers/containerstest"
	"eddy/runtime/statedir"
)

const containerConfig = `{"name": "c", "main": "index.js", "compatibility_date": "2026-04-01",
	"containers": [{ "class_name": "Box", "image": "./Dockerfile" }],
	"durable_objects": { "bindings": [{ "name": "BOX", "class_name": "Box" }, { "name": "BARE",
		"class_name": "Bare" }] },
	"migrations": [{ "tag": "v1", "new_sqlite_classes": ["Box", "Bare"] }]}`

// A class with a container has ctx.container. Without an engine each use says so, and the objects do their other work;
// those of other classes have none (BIND-150).
func TestContainerWithoutEngine(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", containerConfig, "index.js", script("container", "index.js"),
		"Dockerfile", "FROM scratch\n")
	const refused = ",Error: The container of the class Box cannot be used"
	s := p.serve(func(o *Options) { o.Environ = []string{"EDDY_DOCKER=unix:///nowhere"} })
	s.expect("/", "undefined Container,false"+strings.Repeat(refused, 4))
	s.wantLines("Containers do not run: container engine at unix:///nowhere: ")
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	s = p.serve(func(o *Options) { o.NoContainers = true })
	s.expect("/", "undefined Container,false"+strings.Repeat(refused, 4))
	s.wantLines("switched off: by --enable-containers=false")
}

// boxes serves Workers whose class has a container, on an engine of the test's own.
func boxes(t *testing.T, change ...func(*Options)) (*project, *served, *containerstest.Engine) {
	engine := containerstest.Start(t)
	p := newProject(t, "wrangler.jsonc", strings.Replace(containerConfig, `, { "name": "BARE",
		"class_name": "Bare" }`, "", 1), "index.js", script("container", "life.js")+"\nexport class Bare {}\n",
		"Dockerfile", "FROM scratch\n", "app.go", "package main\n")
	s := p.serve(append(change, func(o *Options) { o.Environ = []string{"EDDY_DOCKER=" + engine.Host} })...)
	return p, s, engine
}

// A container is started, asked, ended by a signal, and started again: texts are workerd's (BIND-150).
func TestContainerLife(t *testing.T) {
	_, s, engine := boxes(t)
	s.wantLines("Dockerfile for the container of Box", "the image for the container of Box is ready")
	if got := strings.Join(engine.Built("eddy-box"), " "); !strings.Contains(got, "app.go") {
		t.Error(got)
	}
	const exited = "Error: Container exited with unexpected exit code: 7 (7)\n"
	s.expect("/life", "false\n"+
		"Error: monitor() cannot be called on a container that is not running.\n"+
		"Error: The container is not running, consider calling start()\n"+
		"Error: signal() cannot be called on a container that is not running.\n"+
		"TypeError: Invalid port number: 0\n"+
		"Error: Environment variable names cannot contain '=': a=\n"+
		"true\n"+
		"Error: start() cannot be called on a container that is already running.\n"+
		"RangeError: Invalid signal number.\n"+
		"200 box POST /a?b env=hi args=[one two] body=text\n"+
		"Error: Connecting to a container using HTTPS is not currently supported; use HTTP instead. TLS is "+
		"unnecessary anyway, as the connection is already secure by default.\n"+
		"Error: A container port has fetch() and connect() only.\n"+
		exited+exited+"false\n"+
		"GET / env= args=[other] body=\n"+
		"Error: enough\nfalse\n")
	if got := engine.Containers(); got != nil {
		t.Error(got)
	}
	s.expect("/tcp", "over tcp")
}

// exec() runs a process in a container that runs, with its streams and its exit code (BIND-150).
func TestContainerExec(t *testing.T) {
	_, s, _ := boxes(t)
	s.expect("/exec", "Error: exec() cannot be called on a container that is not running.\n"+
		`["A\nB\n","line\nline\n",3,42,false]`+"\n"+
		"TypeError: output() can only be called once.\n"+
		`["C\nline\n",true]`+"\nA=1\n"+
		"TypeError: resize() can only be called on a process that was started with a PTY.\n"+
		"RangeError: Invalid signal number.\n137\n"+
		"TypeError: exec() requires a non-empty command array.\n"+
		"TypeError: Invalid stdout option: file\n127")
}

// A container ends with its object, or when the inactivity timeout is over; the next life of the object finds one that
// runs. None is left when the session has ended.
func TestContainerEnds(t *testing.T) {
	p, s, engine := boxes(t)
	s.expect("/keep/3600000", "GET / env= args=[one two] body=")
	if err := s.clock.Advance(t.Context(), time.Minute); err != nil { // the object is let go
		t.Error(err)
	}
	if got := strings.Join(engine.Containers(), ","); !strings.HasSuffix(got, " running") {
		t.Error(got)
	}
	s.expect("/running", "true")
	p.write("Dockerfile", "FROM scratch\nENV A=1\n")
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if got := engine.Containers(); got != nil {
		t.Error(got)
	}
	held, err := statedir.Choose("", p.dir, p.dir).HoldWorker("c")
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Release(); err != nil {
		t.Error(err)
	}
}

// A build that fails is a mistake of the configuration; an image that start() names and that cannot be pulled fails
// monitor().
func TestContainerImageFails(t *testing.T) {
	_, s, engine := boxes(t)
	s.expect("/fail", "Error: Container failed to start <- Error: No such image available named docker.io/none:1")
	s.wantLines("The container of Box did not start: No such image")
	engine.Break("COPY failed: no such file")
	p := newProject(t, "wrangler.jsonc", containerConfig, "index.js", script("container", "index.js"),
		"Dockerfile", "FROM scratch\n")
	_, err := p.start(func(o *Options) { o.Environ = []string{"EDDY_DOCKER=" + engine.Host} })
	if text := Explain(err, false); !strings.Contains(text, "COPY failed: no such file") ||
		!strings.Contains(text, "wrangler.jsonc:2") {
		t.Error(text)
	}
}
