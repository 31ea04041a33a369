// Package containerstest is a container engine for tests that need no Docker: an [Engine] speaks as much of the Docker
// Engine API as eddy asks for, and its containers are servers of this process. It may be used from any goroutine.
package containerstest

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
)

// Engine is an engine. Its containers answer on port 8080 with the request, the variable GREETING and the arguments,
// and send back what comes to port 9000. They exit with 7 on signal 15.
type Engine struct {
	// Host is where it is, for EDDY_DOCKER.
	Host string

	mu    sync.Mutex
	all   map[string]*box
	execs map[string]*process
	next  int
	// Built has the files of the contexts that were sent, by tag; Broken is the text that builds fail with.
	built  map[string][]string
	broken string
}

// Start serves an engine until the test ends.
func Start(t testing.TB) *Engine {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	e := &Engine{Host: "unix://" + path, all: map[string]*box{}, execs: map[string]*process{},
		built: map[string][]string{}}
	s := &http.Server{Handler: e.routes()}
	var serving sync.WaitGroup
	serving.Go(func() { _ = s.Serve(l) })
	t.Cleanup(func() {
		_ = s.Close()
		serving.Wait()
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, b := range e.all {
			b.end(killed)
		}
	})
	return e
}

// Break lets all builds fail with a text, "" for none.
func (e *Engine) Break(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.broken = text
}

// Containers are the names of those that are there, without what is random in them, with what they do.
func (e *Engine) Containers() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []string
	for _, b := range e.all {
		list = append(list, b.name[:strings.LastIndex(b.name, "-")]+" "+b.state())
	}
	sort.Strings(list)
	return list
}

// Built are the files of the context that was sent for an image whose tag begins with a text.
func (e *Engine) Built(tag string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	for have, files := range e.built {
		if strings.HasPrefix(have, tag) {
			return files
		}
	}
	return nil
}

const killed = 137

// box is a container.
type box struct {
	id, name string
	request  create
	web      *httptest.Server
	echo     net.Listener
	over     chan struct{}
	once     sync.Once
	code     int
}

type create struct {
	Image, NetworkMode   string
	Env, Entrypoint, Cmd []string
	Labels               map[string]string
}

func (b *box) state() string {
	select {
	case <-b.over:
		return "exited"
	default:
	}
	if b.web == nil {
		return "created"
	}
	return "running"
}

func (b *box) end(code int) {
	b.once.Do(func() {
		b.code = code
		close(b.over)
		if b.web != nil {
			b.web.CloseClientConnections()
			b.web.Close()
			_ = b.echo.Close()
		}
	})
}

func (b *box) start() error {
	var err error
	if b.echo, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	go func() {
		for {
			c, err := b.echo.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(c, c)
				_ = c.Close()
			}()
		}
	}()
	args := append(b.request.Entrypoint, b.request.Cmd...)
	if b.request.Entrypoint == nil {
		args = []string{"/app", "one", "two"} // those of the image
	}
	greeting := ""
	for _, v := range b.request.Env {
		if g, ok := strings.CutPrefix(v, "GREETING="); ok {
			greeting = g
		}
	}
	b.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Host", r.Host)
		_, _ = fmt.Fprintf(w, "%s %s env=%s args=%v body=%s", r.Method, r.URL, greeting, args[1:], text)
	}))
	return nil
}

func port(l net.Addr) string {
	_, p, _ := net.SplitHostPort(l.String())
	return p
}

func (e *Engine) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(r *http.Request) (any, int, string)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v, status, problem := f(r)
			if problem != "" {
				v = map[string]string{"message": problem}
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if v != nil {
				_ = json.NewEncoder(w).Encode(v)
			}
		})
	}
	handle("GET /info", func(*http.Request) (any, int, string) {
		return map[string]any{"OperatingSystem": "test", "SecurityOptions": []string{"name=rootless"}}, 200, ""
	})
	handle("POST /build", e.build)
	handle("GET /images/{name}/json", func(r *http.Request) (any, int, string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if name := r.PathValue("name"); e.built[name] == nil {
			return nil, 404, "no such image: " + name
		}
		return map[string]any{"Config": map[string]any{"ExposedPorts": map[string]any{"8080/tcp": nil}}}, 200, ""
	})
	handle("POST /images/create", func(r *http.Request) (any, int, string) {
		return map[string]string{"error": "pull access denied for " + r.FormValue("fromImage")}, 200, ""
	})
	handle("POST /containers/create", e.create)
	handle("GET /containers/json", e.list)
	handle("POST /containers/{id}/start", e.withBox(func(b *box, _ *http.Request) (any, int, string) {
		if err := b.start(); err != nil {
			return nil, 500, err.Error()
		}
		return nil, 204, ""
	}))
	handle("GET /containers/{id}/json", e.withBox(func(b *box, _ *http.Request) (any, int, string) {
		binding := func(a net.Addr) any { return []map[string]string{{"HostIp": "127.0.0.1", "HostPort": port(a)}} }
		return map[string]any{"HostConfig": map[string]any{"NetworkMode": "bridge"}, "NetworkSettings": map[string]any{
			"Ports": map[string]any{"8080/tcp": binding(b.web.Listener.Addr()), "9000/tcp": binding(b.echo.Addr())},
		}}, 200, ""
	}))
	handle("POST /containers/{id}/kill", e.withBox(func(b *box, r *http.Request) (any, int, string) {
		if r.FormValue("signal") == "15" {
			b.end(7)
		}
		return nil, 204, ""
	}))
	handle("DELETE /containers/{id}", e.withBox(func(b *box, _ *http.Request) (any, int, string) {
		b.end(killed)
		delete(e.all, b.id)
		return nil, 204, ""
	}))
	handle("POST /containers/{id}/wait", func(r *http.Request) (any, int, string) {
		e.mu.Lock()
		b := e.all[r.PathValue("id")]
		e.mu.Unlock()
		if b == nil {
			return nil, 404, "no such container"
		}
		select {
		case <-b.over:
			return map[string]int{"StatusCode": b.code}, 200, ""
		case <-r.Context().Done():
			return nil, 500, "gone"
		}
	})
	e.routeExec(mux, handle)
	return mux
}

// withBox calls f under the lock with the container that a path names.
func (e *Engine) withBox(f func(*box, *http.Request) (any, int, string)) func(*http.Request) (any, int, string) {
	return func(r *http.Request) (any, int, string) {
		e.mu.Lock()
		defer e.mu.Unlock()
		b := e.all[r.PathValue("id")]
		if b == nil {
			return nil, 404, "no such container"
		}
		return f(b, r)
	}
}

func (e *Engine) build(r *http.Request) (any, int, string) {
	var names []string
	for archive := tar.NewReader(r.Body); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 500, err.Error()
		}
		names = append(names, h.Name)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken != "" {
		return map[string]string{"error": e.broken}, 200, ""
	}
	e.built[r.FormValue("t")] = names
	return map[string]string{"stream": "Successfully built\n"}, 200, ""
}

func (e *Engine) create(r *http.Request) (any, int, string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	b := &box{name: r.FormValue("name"), over: make(chan struct{})}
	if err := json.NewDecoder(r.Body).Decode(&b.request); err != nil {
		return nil, 400, err.Error()
	}
	e.next++
	b.id = fmt.Sprintf("id%d", e.next)
	e.all[b.id] = b
	return map[string]string{"Id": b.id}, 201, ""
}

// list obeys the filter of labels.
func (e *Engine) list(r *http.Request) (any, int, string) {
	var filters struct{ Label []string }
	if err := json.Unmarshal([]byte(r.FormValue("filters")), &filters); err != nil {
		return nil, 400, err.Error()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	list := []any{}
	for _, b := range e.all {
		fits := true
		for _, l := range filters.Label {
			name, value, _ := strings.Cut(l, "=")
			fits = fits && b.request.Labels[name] == value
		}
		if fits {
			list = append(list, map[string]any{"Id": b.id, "Labels": b.request.Labels})
		}
	}
	return list, 200, ""
}
