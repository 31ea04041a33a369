package worker

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// compatFlag is one row of the platform's table: the flag that turns a behaviour on, the flag that turns it off, the
// date from which it is on by default, and flags that imply it from a date on.
type compatFlag struct {
	on, off, date string
	impliedBy     []string
	impliedDate   string
}

// Flags are the compatibility flags in force for one Worker: those given and those its date brings.
type Flags struct {
	date string
	on   map[string]bool
}

// FlagError is a mistake in the flags that a Worker names.
type FlagError struct{ Flag, Text string }

// Error implements error.
func (e *FlagError) Error() string { return e.Text }

// FlagNames are all flags, by both of their names.
func FlagNames() (names []string) {
	for _, c := range compatFlags {
		if names = append(names, c.on); c.off != "" {
			names = append(names, c.off)
		}
	}
	return names
}

// ResolveFlags works out the flags of a Worker from its compatibility date (YYYY-MM-DD) and the flags it names.
// Mistakes (unknown flag, a flag and its opposite) come as errors; the Flags are usable all the same.
func ResolveFlags(date string, given []string) (Flags, []error) {
	f := Flags{date: date, on: map[string]bool{}}
	var errs []error
	off := map[string]bool{}
	for _, g := range given {
		i := slices.IndexFunc(compatFlags, func(c compatFlag) bool { return c.on == g || c.off != "" && c.off == g })
		switch {
		case i < 0:
			// the platform's text
			errs = append(errs, &FlagError{Flag: g, Text: "No such compatibility flag: " + g})
		case compatFlags[i].on == g:
			f.on[g] = true
		default:
			off[compatFlags[i].on] = true
		}
	}
	for _, c := range compatFlags {
		if off[c.on] {
			if f.on[c.on] {
				// the platform's text
				errs = append(errs, &FlagError{Flag: c.off,
					Text: fmt.Sprintf("Compatibility flags are mutually contradictory: %s vs %s", c.on, c.off)})
			}
			delete(f.on, c.on)
			continue
		}
		if c.date != "" && date >= c.date {
			f.on[c.on] = true
		}
	}
	// Implications chain (nodejs_compat → v2 → zlib): run until nothing changes.
	for changed := true; changed; {
		changed = false
		for _, c := range compatFlags {
			if f.on[c.on] || off[c.on] || c.impliedDate == "" || date < c.impliedDate {
				continue
			}
			if slices.ContainsFunc(c.impliedBy, func(n string) bool { return f.on[n] }) {
				f.on[c.on] = true
				changed = true
			}
		}
	}
	return f, errs
}

// Enabled tells whether a flag is on, by either of its names: the one that turns a behaviour off is on while the
// behaviour is off.
func (f Flags) Enabled(name string) bool {
	if f.on[name] {
		return true
	}
	on, ok := oppositeFlags()[name]
	return ok && f.on != nil && !f.on[on]
}

// oppositeFlags leads from the name that turns a behaviour off to the one that turns it on.
var oppositeFlags = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, c := range compatFlags {
		if c.off != "" {
			m[c.off] = c.on
		}
	}
	return m
})

// Date is the compatibility date.
func (f Flags) Date() string { return f.date }

// Names are the flags that are on, sorted.
func (f Flags) Names() []string {
	names := make([]string, 0, len(f.on))
	for n := range f.on {
		names = append(names, n)
	}
	slices.SortFunc(names, strings.Compare)
	return names
}
