package containers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Exec says what a process in a running container is started with.
type Exec struct {
	Cmd, Env []string // Env as NAME=VALUE
	Dir      string   // "" for the image's
	User     string   // "" for the image's
	// TTY gives it a terminal of Columns by Rows, 0 for the engine's default; Stderr then stays empty.
	TTY           bool
	Columns, Rows int
	// Combined sends what it writes to its standard error to Stdout.
	Combined bool
	// Stdout and Stderr take what it writes. They are closed when it has ended.
	Stdout, Stderr io.WriteCloser
}

// Process is one that Exec has started.
type Process struct {
	// PID is the number that the engine knows.
	PID int

	c       *Container
	id      string
	pidFile string
	conn    net.Conn
	drained chan struct{} // closed when it has closed its output
	err     error         // of reading that
}

// Start starts a process. As in wrangler dev the image needs /bin/sh: it writes down the process's number in the
// container, for Kill.
func (c *Container) Start(ctx context.Context, x Exec) (*Process, error) {
	p := &Process{c: c, pidFile: "/tmp/.eddy-" + token(), drained: make(chan struct{})}
	cmd := append([]string{"/bin/sh", "-c", "echo $$ > " + p.pidFile + `; exec "$@"`, "sh"}, x.Cmd...)
	var err error
	if p.id, err = c.createExec(ctx, cmd, x); err != nil {
		return nil, err
	}
	start := map[string]any{"Detach": false, "Tty": x.TTY}
	if x.TTY && (x.Columns != 0 || x.Rows != 0) {
		start["ConsoleSize"] = []int{x.Rows, x.Columns}
	}
	reader, err := p.hijack(ctx, start)
	if err != nil {
		return nil, fmt.Errorf("exec: %w", err)
	}
	go func() {
		defer close(p.drained)
		if x.TTY {
			_, p.err = io.Copy(x.Stdout, reader)
		} else {
			stderr := io.Writer(x.Stderr)
			if x.Combined {
				stderr = x.Stdout
			}
			p.err = demux(reader, x.Stdout, stderr)
		}
		p.err = errors.Join(p.err, x.Stdout.Close(), x.Stderr.Close())
	}()
	for range statusTries {
		s, err := p.status(ctx)
		if err != nil {
			_ = p.conn.Close()
			return nil, err
		}
		if p.PID = s.Pid; p.PID != 0 || !s.Running {
			break
		}
		if !pause(ctx) {
			break
		}
	}
	return p, nil
}

func (c *Container) createExec(ctx context.Context, cmd []string, x Exec) (string, error) {
	var made struct{ ID string }
	request := map[string]any{"AttachStdin": true, "AttachStdout": true, "AttachStderr": true, "Tty": x.TTY,
		"Cmd": cmd, "Env": x.Env}
	if x.Dir != "" {
		request["WorkingDir"] = x.Dir
	}
	if x.User != "" {
		request["User"] = x.User
	}
	if err := c.engine.ask(ctx, http.MethodPost, c.path("/exec"), request, &made); err != nil {
		return "", fmt.Errorf("exec: %w", err)
	}
	return made.ID, nil
}

// hijack starts the process; the connection is its input and output from then on.
func (p *Process) hijack(ctx context.Context, start any) (*bufio.Reader, error) {
	text, err := json.Marshal(start)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine/exec/"+p.id+"/start",
		bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "tcp")
	if p.conn, err = p.c.engine.dial(ctx); err != nil {
		return nil, err
	}
	if err := r.Write(p.conn); err != nil {
		return nil, errors.Join(err, p.conn.Close())
	}
	reader := bufio.NewReader(p.conn)
	res, err := http.ReadResponse(reader, r)
	switch {
	case err != nil:
		return nil, errors.Join(err, p.conn.Close())
	case res.StatusCode >= 400:
		return nil, errors.Join(refusal(res), p.conn.Close())
	case res.StatusCode != http.StatusSwitchingProtocols:
		return nil, errors.Join(fmt.Errorf("the engine answered %s", res.Status), p.conn.Close())
	}
	return reader, nil
}

// frameHead is the size of what stands before each piece of output: the stream, three bytes of nothing, the length.
const frameHead = 8

// demux takes the engine's stream of two outputs apart.
func demux(r io.Reader, stdout, stderr io.Writer) error {
	for {
		var head [frameHead]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		to := stdout
		if head[0] == 2 {
			to = stderr
		}
		length := int64(binary.BigEndian.Uint32(head[4:]))
		if n, err := io.CopyN(to, r, length); err != nil {
			if n < length && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
}

// Write sends to the process's standard input.
func (p *Process) Write(b []byte) (int, error) { return p.conn.Write(b) }

// CloseInput ends the process's standard input.
func (p *Process) CloseInput() error {
	if c, ok := p.conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// The engine's word lags behind what happens: it is asked so often, with so much time between.
const (
	statusTries = 20
	statusPause = 50 * time.Millisecond
)

func pause(ctx context.Context) bool {
	select {
	case <-time.After(statusPause):
		return true
	case <-ctx.Done():
		return false
	}
}

type execStatus struct {
	Running       bool
	ExitCode, Pid int
}

func (p *Process) status(ctx context.Context) (s execStatus, err error) {
	err = p.c.engine.ask(ctx, http.MethodGet, "/exec/"+p.id+"/json", nil, &s)
	return s, err
}

// Wait waits for the end of the process and returns its exit code.
func (p *Process) Wait(ctx context.Context) (int, error) {
	select {
	case <-p.drained:
	case <-ctx.Done():
		return 0, errors.Join(ctx.Err(), p.conn.Close())
	}
	defer p.conn.Close()
	if p.err != nil {
		return 0, p.err
	}
	for range statusTries {
		s, err := p.status(ctx)
		if err != nil || !s.Running {
			return s.ExitCode, err
		}
		if !pause(ctx) {
			return 0, ctx.Err()
		}
	}
	//lint:ignore ST1005 the text is workerd's
	return 0, errors.New("Docker exec stream closed before exit status became available.")
}

// Kill sends the process a signal.
func (p *Process) Kill(ctx context.Context, signal int) error {
	id, err := p.c.createExec(ctx, []string{"/bin/sh", "-c",
		"kill -" + strconv.Itoa(signal) + ` "$(cat ` + p.pidFile + `)"`}, Exec{})
	if err != nil {
		return err
	}
	return p.c.engine.ask(ctx, http.MethodPost, "/exec/"+id+"/start", map[string]any{"Detach": true}, nil)
}

// Resize changes the size of the process's terminal.
func (p *Process) Resize(ctx context.Context, columns, rows int) error {
	return p.c.engine.ask(ctx, http.MethodPost, fmt.Sprintf("/exec/%s/resize?h=%d&w=%d", p.id, rows, columns), nil, nil)
}
