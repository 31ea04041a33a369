package running

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"eddy/runtime/clock"
	"eddy/runtime/statedir"
)

// running is what the running file says. Only those who may read the state directory can read it.
type running struct {
	Process
	// Token is what a session must know to join this one.
	Token string `json:"token,omitempty"`
}

// Announce writes the running file, so that commands find the session, and other sessions join it with the token.
// withdraw removes it, unless another session has written its own since.
func Announce(s Process, token string) (withdraw func() error, err error) {
	b, err := json.MarshalIndent(running{s, token}, "", "  ")
	if err != nil {
		return nil, err
	}
	path := statedir.Dir(s.State).Running()
	if err := statedir.Replace(path, append(b, '\n')); err != nil {
		return nil, fmt.Errorf("announce the session: %w", err)
	}
	return func() error {
		now, err := readRunning(s.State)
		if errors.Is(err, fs.ErrNotExist) || err == nil && now.PID != s.PID {
			return nil
		}
		return os.Remove(path)
	}, nil
}

func readRunning(state string) (s running, err error) {
	path := statedir.Dir(state).Running()
	b, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s is damaged: expected the JSON in which a session says who it is, but %w\n"+
			"  a session writes it when it starts: start again the one that is running; if none is, remove the file",
			path,
			err)
	}
	return s, nil
}

// How long a session may take to say who it is. If its process has gone, no answer is expected: something else may have
// taken the port, and be silent. If its process cannot be seen from here, as in another container, the session answers
// at once. The machine's clock counts, less what this process stood still.
const (
	livePatience = 5 * time.Second
	gonePatience = 300 * time.Millisecond
)

func patience(pid int) time.Duration {
	p, err := os.FindProcess(pid)
	if err != nil {
		return gonePatience // only Windows reports a process that has gone like this
	}
	defer p.Release()
	if errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return gonePatience
	}
	return livePatience
}

// ErrNotRunning says that no session has the state directory open.
var ErrNotRunning = errors.New("no running session")

// Find returns a client of the session that has a state directory open. If the session of the running file does not
// answer, or another session answers, the file is stale, and the error wraps [ErrNotRunning].
func Find(ctx context.Context, state string) (*Caller, Process, error) {
	c, s, _, err := FindOwner(ctx, state)
	return c, s, err
}

// FindOwner is Find, and returns also the token for joining the session.
func FindOwner(ctx context.Context, state string) (c *Caller, s Process, token string, err error) {
	said, err := readRunning(state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, said.Process, "", fmt.Errorf("%w for %s", ErrNotRunning, state)
	}
	if err != nil {
		return nil, said.Process, "", err
	}
	if c, err = Dial(said.URL, ""); err != nil {
		return nil, said.Process, "", err
	}
	ask, cancel := clock.WithPatience(ctx, patience(said.PID))
	defer cancel()
	is, err := c.Session(ask)
	if err != nil || is.PID != said.PID || is.State != said.State {
		return nil, said.Process, "",
			fmt.Errorf("%w for %s: process %d at %s does not answer any more", ErrNotRunning, state, said.PID, said.URL)
	}
	return c, is, said.Token, nil
}
