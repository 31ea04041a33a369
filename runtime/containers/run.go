package containers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Launch says what a container is started with.
type Launch struct {
	// Name is the container's; the engine refuses one that is taken.
	Name  string
	Image string
	// Entrypoint, if not nil, takes the place of the image's ENTRYPOINT and CMD.
	Entrypoint []string
	// Env are variables as NAME=VALUE.
	Env []string
	// Internet lets the container reach other machines.
	Internet bool
	Labels   map[string]string
}

// Container is one that was started.
type Container struct {
	// ID is the engine's.
	ID string
	// Open says that it reaches the internet although its Launch says no: the engine has no network that would keep it
	// from that and be reached from here.
	Open bool

	engine *Engine
	// address is its IP address; published has the ports that the engine has published, by the container's.
	address   string
	published map[int]string
	host      bool // it shares the network of the engine's machine
}

// network is the one of containers without internet.
const network = "eddy-no-internet"

type hostConfig struct {
	NetworkMode  string                   `json:",omitempty"`
	PortBindings map[string][]portBinding `json:",omitempty"`
}

type portBinding struct{ HostIp, HostPort string } //nolint:revive // the engine's own names

// Start makes a container of an image that is there, and starts it.
func (e *Engine) Start(ctx context.Context, s Launch) (*Container, error) {
	c := &Container{engine: e}
	host := hostConfig{}
	if !s.Internet {
		if e.bridged && e.closedNetwork(ctx) == nil {
			host.NetworkMode = network
		} else {
			c.Open = true
		}
	}
	exposed, err := e.exposed(ctx, s.Image)
	if err != nil {
		if refused(err, http.StatusNotFound) {
			return nil, fmt.Errorf("No such image available named %s", s.Image) // workerd's text
		}
		return nil, err
	}
	ports := map[string]struct{}{}
	if !e.bridged {
		host.PortBindings = map[string][]portBinding{}
		ip := e.where
		if ip != "127.0.0.1" {
			ip = ""
		}
		for port := range exposed {
			ports[port] = struct{}{}
			host.PortBindings[port] = []portBinding{{HostIp: ip}}
		}
	}
	request := map[string]any{"Image": s.Image, "Env": s.Env, "Labels": s.Labels, "HostConfig": host,
		"ExposedPorts": ports}
	if s.Entrypoint != nil {
		request["Entrypoint"], request["Cmd"] = s.Entrypoint, []string{}
	}
	var made struct{ ID string }
	if err := e.ask(ctx, http.MethodPost, "/containers/create?name="+url.QueryEscape(s.Name), request,
		&made); err != nil {
		return nil, fmt.Errorf("create: %w", err)
	}
	c.ID = made.ID
	if err := e.ask(ctx, http.MethodPost, c.path("/start"), nil, nil); err != nil {
		return nil, errors.Join(fmt.Errorf("start: %w", err), c.Remove(context.WithoutCancel(ctx)))
	}
	if err := c.locate(ctx); err != nil {
		return nil, errors.Join(err, c.Remove(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// exposed are the ports that an image names, as 8080/tcp.
func (e *Engine) exposed(ctx context.Context, image string) (map[string]struct{}, error) {
	var info struct {
		Config struct{ ExposedPorts map[string]struct{} }
	}
	err := e.ask(ctx, http.MethodGet, "/images/"+url.PathEscape(image)+"/json", nil, &info)
	return info.Config.ExposedPorts, err
}

// closedNetwork makes the network without a way to other machines, if it is not there.
func (e *Engine) closedNetwork(ctx context.Context) error {
	err := e.ask(ctx, http.MethodGet, "/networks/"+network, nil, nil)
	if !refused(err, http.StatusNotFound) {
		return err
	}
	err = e.ask(ctx, http.MethodPost, "/networks/create", map[string]any{"Name": network, "Driver": "bridge",
		"Internal": true, "CheckDuplicate": true, "Labels": map[string]string{ownLabel: "1"}}, nil)
	if refused(err, http.StatusConflict) {
		return nil // another session was faster
	}
	return err
}

// path is that of a request about the container.
func (c *Container) path(rest string) string { return "/containers/" + c.ID + rest }

// locate asks where the container is reached.
func (c *Container) locate(ctx context.Context) error {
	var info struct {
		HostConfig      struct{ NetworkMode string }
		NetworkSettings struct {
			IPAddress string
			Ports     map[string][]portBinding
			Networks  map[string]struct{ IPAddress string }
		}
	}
	if err := c.engine.ask(ctx, http.MethodGet, c.path("/json"), nil, &info); err != nil {
		return err
	}
	c.host = info.HostConfig.NetworkMode == "host"
	c.address = info.NetworkSettings.IPAddress
	for _, n := range info.NetworkSettings.Networks {
		if c.address == "" {
			c.address = n.IPAddress
		}
	}
	c.published = map[int]string{}
	for port, bindings := range info.NetworkSettings.Ports {
		number, proto, _ := strings.Cut(port, "/")
		if n, err := strconv.Atoi(number); err == nil && proto == "tcp" && len(bindings) > 0 {
			c.published[n] = bindings[0].HostPort
		}
	}
	return nil
}

// UnreachedError is the error of Dial for a port that this machine has no way to.
type UnreachedError struct {
	Port  int
	Known []int // those that are published
}

// Error implements error.
func (e *UnreachedError) Error() string {
	return fmt.Sprintf("port %d of the container is not reached from here: this container engine publishes only the "+
		"ports that the image exposes, which are %v; add EXPOSE %d to the Dockerfile", e.Port, e.Known, e.Port)
}

// Dial connects to a TCP port of the container.
func (c *Container) Dial(ctx context.Context, port int) (net.Conn, error) {
	var address string
	switch {
	case c.host:
		address = net.JoinHostPort(c.engine.where, strconv.Itoa(port))
	case c.engine.bridged && c.address != "":
		address = net.JoinHostPort(c.address, strconv.Itoa(port))
	case c.published[port] != "":
		address = net.JoinHostPort(c.engine.where, c.published[port])
	default:
		return nil, &UnreachedError{Port: port, Known: slices.Sorted(maps.Keys(c.published))}
	}
	return (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "tcp", address)
}

// Wait waits until the container has ended, and returns its exit code.
func (c *Container) Wait(ctx context.Context) (int, error) {
	var end struct{ StatusCode int }
	err := c.engine.ask(ctx, http.MethodPost, c.path("/wait"), nil, &end)
	return end.StatusCode, err
}

// Signal sends a signal by its number. It is no error that the container has ended.
func (c *Container) Signal(ctx context.Context, number int) error {
	err := c.engine.ask(ctx, http.MethodPost, c.path("/kill?signal=")+strconv.Itoa(number), nil, nil)
	if refused(err, http.StatusNotFound, http.StatusConflict) {
		return nil
	}
	return err
}

// Remove ends the container and removes it. It is no error that it is gone.
func (c *Container) Remove(ctx context.Context) error { return c.engine.remove(ctx, c.ID) }

func (e *Engine) remove(ctx context.Context, id string) error {
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()
	err := e.ask(ctx, http.MethodDelete, "/containers/"+id+"?force=true&v=true", nil, nil)
	if refused(err, http.StatusNotFound, http.StatusConflict) { // gone, or on its way
		return nil
	}
	return err
}
