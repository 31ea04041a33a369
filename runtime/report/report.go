package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Format is how lines look.
type Format string

// The formats of --log-format.
const (
	Text Format = "text"
	JSON Format = "json"
)

// Level orders lines by weight, as wrangler's --log-level does.
type Level int

// The levels, lightest first. None silences everything.
const (
	Debug Level = iota
	Info
	Log
	Warn
	Error
	None
)

// ParseLevel reads the value of --log-level.
func ParseLevel(s string) (Level, error) {
	for i, n := range levelNames {
		if s == n {
			return Level(i), nil
		}
	}
	return 0, fmt.Errorf("log level %q: expected one of %s", s, strings.Join(levelNames, ", "))
}

var levelNames = []string{"debug", "info", "log", "warn", "error", "none"}

// Options configure a Reporter. The zero value writes nothing.
type Options struct {
	Out    io.Writer
	Format Format
	Color  bool
	Level  Level
	// Timestamps begin every line of text with the time of day in UTC; JSON has the time anyway.
	Timestamps bool
	Now        func() time.Time
}

// Reporter writes lines.
type Reporter struct {
	opts Options
	mu   sync.Mutex // guards Out
}

// New makes a Reporter.
func New(o Options) *Reporter {
	if o.Out == nil {
		o.Out = io.Discard
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Format == "" {
		o.Format = Text
	}
	return &Reporter{opts: o}
}

// Field is one named fact of a line, shown in JSON only.
type Field struct {
	Key   string
	Value any
}

// F makes a Field.
func F(key string, value any) Field { return Field{key, value} }

// Shows tells whether Line writes lines of that level. Callers with many lines ask before they make the text.
func (r *Reporter) Shows(level Level) bool { return r != nil && level >= r.opts.Level }

// Line writes one event: kind names it for JSON ("request", "queue", "console"), text is what people read.
func (r *Reporter) Line(level Level, kind, text string, fields ...Field) {
	if !r.Shows(level) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opts.Format == JSON {
		r.json(level, kind, text, fields)
		return
	}
	text = r.decorate(level, Lines(text))
	if r.opts.Timestamps {
		at := r.paint("2", r.opts.Now().UTC().Format("15:04:05.000")) + " "
		text = at + strings.ReplaceAll(text, "\n", "\n"+at)
	}
	fmt.Fprintln(r.opts.Out, text)
}

// Clear empties the terminal.
func (r *Reporter) Clear() {
	if r == nil || r.opts.Format != Text {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprint(r.opts.Out, "\x1b[2J\x1b[3J\x1b[H")
}

func (r *Reporter) json(level Level, kind, text string, fields []Field) {
	m := map[string]any{
		"time": r.opts.Now().UTC().Format(time.RFC3339Nano), "level": levelNames[level], "kind": kind,
		"msg": strip(text)}
	for _, f := range fields {
		m[f.Key] = f.Value
	}
	b, err := EncodeJSON(m, "")
	if err != nil {
		b, _ = EncodeJSON(map[string]any{"level": "error", "kind": "report", "msg": err.Error()}, "")
	}
	_, _ = r.opts.Out.Write(b)
}

func (r *Reporter) decorate(level Level, text string) string {
	switch level {
	case Warn:
		return r.paint("33", "▲ ") + text
	case Error:
		return r.paint("31", "✘ ") + text
	}
	return text
}

// Structured tells whether lines are objects for programs, which want fields and no tables.
func (r *Reporter) Structured() bool { return r.opts.Format == JSON }

// Color tells whether lines may carry ANSI colours.
func (r *Reporter) Color() bool { return r.opts.Color && r.opts.Format == Text }

// paint wraps s in an SGR code when colours are on.
func (r *Reporter) paint(code, s string) string {
	if !r.Color() {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Paint colours s. name is one of green, yellow, red, dim, bold, cyan. It is for callers that compose lines.
func (r *Reporter) Paint(name, s string) string {
	return r.paint(map[string]string{
		"green": "32", "yellow": "33", "red": "31", "dim": "2", "bold": "1", "cyan": "36"}[name], s)
}

// strip removes ANSI sequences.
func strip(s string) string {
	if !strings.Contains(s, "\x1b[") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '[' {
			for i += 2; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Duration prints a duration the way request lines do: whole milliseconds.
func Duration(d time.Duration) string {
	return fmt.Sprintf("%dms", d.Round(time.Millisecond).Milliseconds())
}
