package inspector

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/chromedp/cdproto/debugger"

	"eddy/runtime/engine/jsregexp"
)

// breakpoint is where a client wants to stop. Guarded by the server's mutex, but for id and condition, which do not
// change.
type breakpoint struct {
	id        string
	of        *client
	url       string   // "" with a pattern
	pattern   *pattern // of URLs
	line      int      // from 1
	column    int      // from 1; 0 is the line's first
	condition string
	once      bool
}

// pattern is a regular expression of a client.
type pattern struct{ program *jsregexp.Program }

func newPattern(source string) (*pattern, error) {
	p, err := jsregexp.Compile(utf16.Encode([]rune(source)), jsregexp.Flags{})
	if err != nil {
		return nil, err
	}
	return &pattern{p}, nil
}

func (p *pattern) matches(text string) bool {
	found, err := p.program.MatchUTF16(utf16.Encode([]rune(text)), 0, false, nil)
	return err == nil && found != nil
}

// stopOf is the stop of a realm that a breakpoint stands at in a file, -1 if there is none: the first one at its place
// or behind it.
func (r *realm) stopOf(file, line, column int) int {
	best := -1
	for i, s := range r.stops.Stops {
		if s.Return || s.File != file || s.Line < line || s.Line == line && s.Column < column {
			continue
		}
		if best < 0 || before(s.Line, s.Column, r.stops.Stops[best].Line, r.stops.Stops[best].Column) {
			best = i
		}
	}
	return best
}

func before(line, column, otherLine, otherColumn int) bool {
	return line < otherLine || line == otherLine && column < otherColumn
}

// places are the stops of a realm at which a breakpoint stands.
func (r *realm) places(b *breakpoint) (stops []int) {
	for i, f := range r.stops.Files {
		if b.pattern != nil && !b.pattern.matches(f.URL) || b.pattern == nil && f.URL != b.url {
			continue
		}
		if n := r.stopOf(i, b.line, b.column); n >= 0 {
			stops = append(stops, n)
		}
	}
	return stops
}

// armLocked gives each realm the breakpoints that stand in it.
func (t *target) armLocked() {
	for _, r := range t.realms {
		if len(t.breakpoints) == 0 {
			r.armed.Store(nil)
			continue
		}
		armed := make([][]*breakpoint, len(r.stops.Stops))
		for _, b := range t.breakpoints {
			for _, n := range r.places(b) {
				// Statements that begin at one place stop together: a default and the call around it.
				armed[n] = append(armed[n], b)
			}
		}
		r.armed.Store(&armed)
	}
}

// add makes a breakpoint stand, and gives its places in the realms that are there.
func (t *target) add(b *breakpoint) []*debugger.Location {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.breakpoints = append(t.breakpoints, b)
	t.armLocked()
	return t.locationsLocked(b)
}

func (t *target) locationsLocked(b *breakpoint) []*debugger.Location {
	list := []*debugger.Location{}
	for _, r := range t.realms {
		for _, n := range r.places(b) {
			stop := r.stops.Stops[n]
			list = append(list, r.location(stop.File, stop.Line, stop.Column))
		}
	}
	return list
}

// remove takes away the breakpoints for which f is true, and reports whether there was one.
func (t *target) remove(f func(*breakpoint) bool) bool {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	n := len(t.breakpoints)
	t.breakpoints = slices.DeleteFunc(t.breakpoints, f)
	t.armLocked()
	return len(t.breakpoints) < n
}

// meets tells whether a breakpoint stops a call: its condition holds, or it has none. A condition that throws does not
// hold; one that prints is a logpoint. Loop goroutine.
func (r *realm) meets(c *call, b *breakpoint) bool {
	if b.once {
		r.target.remove(func(other *breakpoint) bool { return other == b })
		return true
	}
	if b.condition == "" {
		return true
	}
	v, thrown := r.evaluateIn(c, b.condition)
	return thrown == nil && v.ToBoolean()
}

// newID is what V8 calls a breakpoint: its kind, place and file.
func (b *breakpoint) newID(kind int, file string) {
	b.id = fmt.Sprintf("%d:%d:%d:%s", kind, b.line-1, max(b.column-1, 0), file)
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// number reads a number that this package has given to a client, -1 for anything else.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
