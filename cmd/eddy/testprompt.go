package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// prompt is a line that a person types while what it finds is shown below, as vitest has it.
type prompt struct {
	out     io.Writer
	message string
	find    func(typed string) []string
	typed   string
	found   []string
	chosen  int // of found, -1 for none
}

// mostFound is how many finds are shown.
const mostFound = 10

// ask lets a person type a pattern. ok is false if it was given up.
func (w *testWatch) ask(ctx context.Context, message string, find func(string) []string) (string, bool, error) {
	p := &prompt{out: w.env.Stdout, message: message, find: find, chosen: -1}
	p.show()
	for {
		select {
		case <-ctx.Done():
			return "", false, &exitError{130, nil}
		case keys := <-w.typed:
			if over, ok := p.take(keys); over {
				return p.result(), ok, nil
			}
		}
	}
}

// take carries out keys: what is typed or pasted, or the sequence of an arrow.
func (p *prompt) take(keys string) (over, ok bool) {
	switch keys {
	case "\x1b", "\x03":
		fmt.Fprint(p.out, "\x1b[1G\x1b[0J")
		return true, false
	case "\x1b[A":
		p.chosen = max(p.chosen-1, -1)
		p.show()
		return false, false
	case "\x1b[B":
		p.chosen = min(p.chosen+1, len(p.found)-1)
		p.show()
		return false, false
	}
	for _, c := range keys {
		switch {
		case c == '\r' || c == '\n':
			fmt.Fprint(p.out, "\x1b[1G\x1b[0J")
			return true, true
		case c == 0x7f || c == '\b':
			if _, size := utf8.DecodeLastRuneInString(p.typed); size > 0 {
				p.typed = p.typed[:len(p.typed)-size]
			}
		case c >= ' ':
			p.typed += string(c)
		}
	}
	p.found = nil
	if p.typed != "" {
		p.found = p.find(p.typed)
	}
	p.chosen = min(p.chosen, len(p.found)-1)
	p.show()
	return false, false
}

// result is what was chosen, or typed.
func (p *prompt) result() string {
	if p.chosen >= 0 {
		return p.found[p.chosen]
	}
	return p.typed
}

// show writes the line and what it finds, and puts the cursor behind what was typed.
func (p *prompt) show() {
	line := fmt.Sprintf("? %s › %s", p.message, p.typed)
	lines := []string{line}
	switch {
	case p.typed == "":
		lines = append(lines, "Please input filter pattern")
	case len(p.found) == 0:
		lines = append(lines, "Pattern matches no results")
	default:
		results := "results"
		if len(p.found) == 1 {
			results = "result"
		}
		lines = append(lines, fmt.Sprintf("Pattern matches %d %s", len(p.found), results))
		first := max(0, p.chosen-mostFound+1)
		for i := first; i < min(first+mostFound, len(p.found)); i++ {
			mark := "  "
			if i == p.chosen {
				mark = "❯ "
			}
			lines = append(lines, mark+p.found[i])
		}
		if more := len(p.found) - first - mostFound; more > 0 {
			lines = append(lines, fmt.Sprintf("   ...and %d more", more))
		}
	}
	fmt.Fprintf(p.out, "\x1b[1G\x1b[J%s\x1b[%dA\x1b[%dG", strings.Join(lines, "\n"), len(lines)-1,
		utf8.RuneCountInString(line)+1)
}
