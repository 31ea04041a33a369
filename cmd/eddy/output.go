package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"eddy/runtime/report"
)

// output writes a command's result: a table or a sentence for people, JSON for scripts.
type output struct {
	w    io.Writer
	json bool
}

// value writes v as JSON if --json is given; otherwise it calls people.
func (o output) value(v any, people func() error) error {
	if !o.json {
		return people()
	}
	return o.encode(v, "  ")
}

// encode writes v as JSON in which control characters are escaped, so that a terminal may show it.
func (o output) encode(v any, indent string) error {
	b, err := report.EncodeJSON(v, indent)
	if err != nil {
		return err
	}
	_, err = o.w.Write(b)
	return err
}

// done writes v as JSON or, for people, a sentence. Strings in args are names that somebody chose, so they are escaped.
func (o output) done(v any, format string, args ...any) error {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = report.Escape(s)
		}
	}
	return o.value(v, func() error {
		_, err := fmt.Fprintf(o.w, format+"\n", args...)
		return err
	})
}

// table writes rows under a header, the columns aligned. Cells are escaped: they hold bodies, keys and names.
func (o output) table(header []string, rows [][]string) error {
	width := make([]int, len(header))
	all := make([][]string, 0, len(rows)+1)
	for _, r := range append([][]string{header}, rows...) {
		shown := make([]string, len(r))
		for i, cell := range r {
			shown[i] = report.Escape(cell)
			width[i] = max(width[i], utf8.RuneCountInString(shown[i]))
		}
		all = append(all, shown)
	}
	for _, r := range all {
		var b strings.Builder
		for i, cell := range r {
			b.WriteString(cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
		}
		if _, err := fmt.Fprintln(o.w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// list writes a table, or the sentence none if there are no rows.
func (o output) list(none string, header []string, rows [][]string) error {
	if len(rows) == 0 {
		_, err := fmt.Fprintln(o.w, report.Escape(none))
		return err
	}
	return o.table(header, rows)
}

// facts writes one line "name: value" for each pair.
func (o output) facts(pairs ...any) error {
	for i := 0; i < len(pairs); i += 2 {
		if _, err := fmt.Fprintf(o.w, "%-18s %v\n", report.Escape(fmt.Sprint(pairs[i]))+":",
			report.Escape(fmt.Sprint(pairs[i+1]))); err != nil {
			return err
		}
	}
	return nil
}

func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000")
}

// stamp is a time with its zone. (In a table the header names the zone.)
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return when(t) + " UTC"
}

func stampOr(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return stamp(*t)
}

// lasting writes a duration with days and without empty units: 4d, 1m30s, 250ms.
func lasting(d time.Duration) string {
	const day = 24 * time.Hour
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + unitOf(d)
	}
	var b strings.Builder
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if n := d / u.unit; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.unit
		}
	}
	if d > 0 {
		b.WriteString(strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s")
	}
	return b.String()
}

func unitOf(d time.Duration) string {
	if d == 0 {
		return "s"
	}
	return "ms"
}

func whenever(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return when(*t)
}

// short cuts a text to one line of at most n characters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// confirm asks the user to type a name before something is destroyed, as wrangler does (W-4). Without a terminal it
// requires --force.
func confirm(env OS, force bool, verb, what, name string) error {
	if force {
		return nil
	}
	if !isTerminal(env.Stdin) {
		return usage("The --force flag is required to %s in non-interactive mode", verb) // wrangler's text
	}
	fmt.Fprintf(env.Stderr, "This operation will permanently delete %s. Type %s to proceed: ", report.Escape(what),
		report.Escape(name))
	line, err := bufio.NewReader(env.Stdin).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	if strings.TrimSpace(line) != name {
		return &exitError{exitFailure, fmt.Errorf("the name does not match; nothing was deleted")}
	}
	return nil
}
