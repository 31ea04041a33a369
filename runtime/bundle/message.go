package bundle

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// BuildMessage is one error or warning about the user's code.
type BuildMessage struct {
	// File is an absolute path, or "" if the message belongs to no file. Line counts from 1, Column from 1 in bytes.
	File         string
	Line, Column int
	// Length is how many bytes of LineText are meant, at least 0.
	Length   int
	LineText string
	Text     string
	// Suggestion is the text that should stand there instead, if esbuild knows one, or what to do.
	Suggestion string
	Notes      []BuildNote
}

// BuildNote adds a fact to a message, with a place of its own if File is set.
type BuildNote struct {
	Text         string
	File         string
	Line, Column int
	Length       int
	LineText     string
}

// BuildError holds all the errors of a failed build; there is at least one.
type BuildError struct {
	Messages []BuildMessage
}

// Error renders every message with its code frame.
func (e *BuildError) Error() string {
	var b strings.Builder
	if len(e.Messages) == 1 {
		b.WriteString("Build failed with 1 error:\n")
	} else {
		fmt.Fprintf(&b, "Build failed with %d errors:\n", len(e.Messages))
	}
	for i, m := range e.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(m.Render())
	}
	return strings.TrimRight(b.String(), "\n")
}

// Render writes the message as file:line:column: text, followed by the line with a marker, the suggestion and the
// notes.
func (m BuildMessage) Render() string {
	var b strings.Builder
	writePlace(&b, m.File, m.Line, m.Column)
	b.WriteString(m.Text)
	b.WriteByte('\n')
	writeFrame(&b, m.Line, m.Column, m.Length, m.LineText)
	if m.Suggestion != "" {
		fmt.Fprintf(&b, "  suggestion: %s\n", m.Suggestion)
	}
	for _, n := range m.Notes {
		b.WriteString("  note: ")
		writePlace(&b, n.File, n.Line, n.Column)
		b.WriteString(strings.ReplaceAll(n.Text, "\n", "\n        "))
		b.WriteByte('\n')
		writeFrame(&b, n.Line, n.Column, n.Length, n.LineText)
	}
	return b.String()
}

func writePlace(b *strings.Builder, file string, line, column int) {
	switch {
	case file == "":
	case line == 0:
		fmt.Fprintf(b, "%s: ", file)
	default:
		fmt.Fprintf(b, "%s:%d:%d: ", file, line, column)
	}
}

// maxFrame bounds the bytes of a line that a code frame shows; minified files have lines of megabytes.
const maxFrame = 160

func writeFrame(b *strings.Builder, line, column, length int, text string) {
	if line == 0 || text == "" {
		return
	}
	at := min(max(column-1, 0), len(text))
	if len(text) > maxFrame {
		from := max(0, at-maxFrame/2)
		to := min(len(text), from+maxFrame)
		text, at = strings.ToValidUTF8(text[from:to], "?"), at-from
	}
	at = min(at, len(text))
	label := fmt.Sprintf("%6d | ", line)
	// Tabs keep their width in the marker's line.
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text[:at])
	fmt.Fprintf(b, "%s%s\n", label, text)
	mark := "^"
	if n := min(length, len(text)-at); n > 1 {
		mark = strings.Repeat("~", n)
	}
	fmt.Fprintf(b, "%s| %s%s\n", strings.Repeat(" ", len(label)-2), indent, mark)
}

// messages converts esbuild's messages; file names become absolute.
func messages(dir string, list []api.Message) []BuildMessage {
	out := make([]BuildMessage, 0, len(list))
	for _, m := range list {
		message := BuildMessage{Text: m.Text}
		if m.Location != nil {
			l := m.Location
			message.File = locationFile(dir, l)
			message.Line, message.Column, message.Length = l.Line, l.Column+1, l.Length
			message.LineText, message.Suggestion = l.LineText, l.Suggestion
		}
		for _, n := range m.Notes {
			note := BuildNote{Text: n.Text}
			if n.Location != nil {
				note.File = locationFile(dir, n.Location)
				note.Line, note.Column, note.Length = n.Location.Line, n.Location.Column+1, n.Location.Length
				note.LineText = n.Location.LineText
			}
			message.Notes = append(message.Notes, note)
		}
		out = append(out, message)
	}
	return out
}

func locationFile(dir string, l *api.Location) string {
	if l.Namespace != "" && l.Namespace != "file" || l.File == "" {
		return l.File
	}
	return absolute(dir, l.File)
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}
