package containers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"

	"eddy/runtime/statedir"
)

// The labels of containers that eddy has started.
const (
	ownLabel  = "eddy"      // on everything
	lockLabel = "eddy.lock" // the lock file of the Worker
	hostLabel = "eddy.host" // the machine that the file is on
)

// Labels are those that a container of a Worker needs to be found by Sweep. lock is the Worker's lock file.
func Labels(lock string) map[string]string {
	return map[string]string{ownLabel: "1", lockLabel: lock, hostLabel: hostname()}
}

// hostname is empty where the machine has none; such machines are one to each other.
func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// Sweep removes the containers that killed sessions of this machine have left: those whose Worker's lock nobody holds,
// and those of own, which are locks that the caller holds itself. It returns how many there were.
func (e *Engine) Sweep(ctx context.Context, own ...string) (int, error) {
	filters, err := json.Marshal(map[string][]string{"label": {ownLabel + "=1", hostLabel + "=" + hostname()}})
	if err != nil {
		return 0, err
	}
	var list []struct {
		ID     string `json:"Id"`
		Labels map[string]string
	}
	if err := e.ask(ctx, http.MethodGet, "/containers/json?all=true&filters="+url.QueryEscape(string(filters)), nil,
		&list); err != nil {
		return 0, err
	}
	mine := map[string]bool{}
	for _, lock := range own {
		mine[lock] = true
	}
	swept := 0
	var errs []error
	for _, c := range list {
		if lock := c.Labels[lockLabel]; !mine[lock] && held(lock) {
			continue
		}
		if err := e.remove(ctx, c.ID); err != nil {
			errs = append(errs, err)
			continue
		}
		swept++
	}
	return swept, errors.Join(errs...)
}

// held tells whether a session has the lock. A lock that cannot be tried counts as held.
func held(lock string) bool {
	if _, err := os.Stat(lock); errors.Is(err, os.ErrNotExist) {
		return false
	}
	h, err := statedir.Lock(lock)
	if err != nil {
		return true
	}
	return h.Release() != nil
}
