package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// answerTime is how long an engine may take to say that it is there, or to carry out a short command.
const answerTime = 30 * time.Second

// ErrNone is the error of [Find] where no engine answers.
var ErrNone = errors.New("no container engine answers: start Docker or Podman (podman system service --time=0), or " +
	"name a socket in EDDY_DOCKER or DOCKER_HOST, as unix:///run/podman/podman.sock")

// Engine is a container engine. Its methods fail with the engine's own text.
type Engine struct {
	// Host is where it is: unix:///path or tcp://host:port.
	Host string

	client *http.Client
	dial   func(ctx context.Context) (net.Conn, error)
	// bridged says that this machine reaches the addresses of containers, so that no port need be published.
	bridged bool
	// where is the host of published ports.
	where string
}

// Find connects to the engine that EDDY_DOCKER, configured, WRANGLER_DOCKER_HOST or DOCKER_HOST names, in this order,
// and otherwise to the first that answers on a usual socket. environ is the value of an environment variable.
func Find(ctx context.Context, environ func(string) string, configured string) (*Engine, error) {
	for _, host := range []string{environ("EDDY_DOCKER"), configured, environ("WRANGLER_DOCKER_HOST"),
		environ("DOCKER_HOST")} {
		if host != "" {
			return Open(ctx, host)
		}
	}
	for _, path := range places(environ) {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if e, err := Open(ctx, "unix://"+path); err == nil {
			return e, nil
		}
	}
	return nil, ErrNone
}

// places are where engines have their sockets.
func places(environ func(string) string) []string {
	list := []string{"/var/run/docker.sock"}
	if dir := environ("XDG_RUNTIME_DIR"); dir != "" {
		list = append(list, filepath.Join(dir, "docker.sock"), filepath.Join(dir, "podman", "podman.sock"))
	}
	list = append(list, "/run/podman/podman.sock")
	if home := environ("HOME"); home != "" {
		for _, path := range []string{".docker/run/docker.sock", ".colima/default/docker.sock",
			".orbstack/run/docker.sock", ".rd/docker.sock"} {
			list = append(list, filepath.Join(home, filepath.FromSlash(path)))
		}
	}
	return list
}

// Open connects to the engine at host: unix:///path, tcp://host:port, or the path of a socket.
func Open(ctx context.Context, host string) (*Engine, error) {
	if strings.HasPrefix(host, "/") {
		host = "unix://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return nil, fmt.Errorf("container engine %q: %w", host, err)
	}
	e := &Engine{Host: host, where: "127.0.0.1"}
	network, address := "tcp", u.Host
	switch u.Scheme {
	case "unix":
		network, address = "unix", u.Path
	case "tcp", "http":
		if name := u.Hostname(); !loopback(name) {
			e.where = name
		}
	default:
		return nil, fmt.Errorf("container engine %q: only unix:// and tcp:// are spoken here", host)
	}
	e.dial = func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{Timeout: answerTime}).DialContext(ctx, network, address)
	}
	e.client = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return e.dial(ctx) },
	}}
	if err := e.look(ctx, network == "unix"); err != nil {
		return nil, fmt.Errorf("container engine at %s: %w", host, err)
	}
	return e, nil
}

func loopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// look asks the engine what it is. A rootless one, and one in a virtual machine, keeps its containers' addresses to
// itself.
func (e *Engine) look(ctx context.Context, local bool) error {
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()
	var info struct {
		OperatingSystem string
		SecurityOptions []string
	}
	if err := e.ask(ctx, http.MethodGet, "/info", nil, &info); err != nil {
		return err
	}
	e.bridged = local && runtime.GOOS == "linux" && !strings.Contains(info.OperatingSystem, "Docker Desktop")
	for _, o := range info.SecurityOptions {
		if strings.Contains(o, "rootless") {
			e.bridged = false
		}
	}
	return nil
}
