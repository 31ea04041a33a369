package ratelimit

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eddy/runtime/clock"
)

// Limiter counts the calls of one namespace. Any goroutine.
type Limiter struct {
	clock clock.Clock

	mu      sync.Mutex
	windows map[int]*window // guarded by mu; by period in seconds
}

// window is the present window of one period.
type window struct {
	epoch  int64
	counts map[string]uint64
}

// New makes a Limiter on a clock.
func New(c clock.Clock) *Limiter { return &Limiter{clock: c, windows: map[int]*window{}} }

// epoch is the number of the present window of period seconds.
func (l *Limiter) epoch(period int) int64 {
	return l.clock.Now().UnixMilli() / (int64(period) * int64(time.Second/time.Millisecond))
}

// Limit counts a call of weight delta for key, and reports whether it is within limit calls in the present window of
// period seconds. A call that is refused does not count.
func (l *Limiter) Limit(key string, limit float64, period int, delta uint32) bool {
	epoch := l.epoch(period)
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.windows[period]
	if w == nil || w.epoch != epoch {
		w = &window{epoch, map[string]uint64{}}
		l.windows[period] = w
	}
	if float64(w.counts[key]) >= limit {
		return false
	}
	w.counts[key] += uint64(delta)
	return true
}

// kept is a window on disk.
type kept struct {
	Period int
	Epoch  int64
	Counts map[string]uint64
}

// Save writes the calls of the present windows into a file, for the next session. Without any there is no file.
func (l *Limiter) Save(file string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []kept
	for period, w := range l.windows {
		if len(w.counts) > 0 && w.epoch == l.epoch(period) {
			list = append(list, kept{period, w.epoch, w.counts})
		}
	}
	if list == nil {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// Load takes over what Save has written. A file that is not there, or that cannot be read as one of Save's, has
// nothing: its windows are over within a minute.
func (l *Limiter) Load(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []kept
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, k := range list {
		if k.Counts != nil {
			l.windows[k.Period] = &window{k.Epoch, k.Counts}
		}
	}
	return nil
}

// Clear forgets all calls.
func (l *Limiter) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.windows)
}
