package replay

import (
	"fmt"
	"strings"

	"eddy/runtime/journal"
	"eddy/runtime/report"
)

// Show writes events for people.
type Show struct {
	Color bool
}

// Paint colours a text.
func (s Show) Paint(code, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Event writes an event and what differs.
func (s Show) Event(b *strings.Builder, e *Replayed) { s.event(b, e, "") }

func (s Show) event(b *strings.Builder, e *Replayed, indent string) {
	mark := s.Paint("32", "✔")
	switch {
	case e.Differs():
		mark = s.Paint("31", "✘")
	case e.Line.Outcome == "":
		mark = "·"
	}
	place := ""
	if e.Number > 0 {
		place = fmt.Sprintf("  %s:%d", e.File, e.Number)
	}
	if e.Again > 0 {
		place += fmt.Sprintf(", run %d", e.Again+1)
	}
	text := Title(e.Line)
	if e.Got != nil {
		text += "  " + lineOutcome(e.Got)
	}
	fmt.Fprintf(b, "%s%s %s%s\n", indent, mark, report.Escape(text), s.Paint("2", report.Escape(place)))
	s.below(b, e, indent+"    ")
}

// Below writes what differs in an event.
func (s Show) Below(b *strings.Builder, e *Replayed) { s.below(b, e, "") }

func (s Show) below(b *strings.Builder, e *Replayed, indent string) {
	if e.Failed != "" {
		fmt.Fprintf(b, "%s%s\n", indent, e.Failed)
	}
	for _, text := range e.Unanswered {
		fmt.Fprintf(b, "%s%s\n", indent, report.Escape(text))
	}
	message := ""
	for _, d := range e.Differences {
		if d.Message != message {
			if message = d.Message; message != "" {
				fmt.Fprintf(b, "%smessage %s\n", indent, message)
			}
		}
		in := indent
		if message != "" {
			in += "  "
		}
		fmt.Fprintf(b, "%s%s: %s → %s\n", in, report.Escape(d.Path), s.side("31", d.Want), s.side("32", d.Got))
	}
	if e.Got != nil && (len(e.Differences) > 0 || e.Line.Outcome == "") {
		for _, x := range e.Got.Exceptions {
			if x.Stack == "" {
				continue
			}
			fmt.Fprintf(b, "%s%s\n", indent, report.Escape(x.Name+": "+x.Message))
			for line := range strings.Lines(x.Stack) {
				fmt.Fprintf(b, "%s%s\n", indent, s.Paint("2", report.Escape(strings.TrimRight(line, "\n"))))
			}
		}
	}
	for _, c := range e.Children {
		if c.Differs() {
			s.event(b, c, indent)
		}
	}
}

func (s Show) side(code, value string) string {
	if value == "" {
		return "nothing"
	}
	return s.Paint(code, report.Escape(shortened(value)))
}

// Title describes an event of a file.
func Title(l *journal.Line) string {
	switch {
	case l.Kind == journal.Queue:
		return "QUEUE " + l.Queue + " " + counted(len(l.Messages), "message")
	case l.Kind == journal.Lane:
		return "LANE " + l.Lane + " " + counted(len(l.Messages), "message")
	case l.Kind == journal.Dead:
		return "DEAD LETTER " + l.Lane
	case l.Kind == journal.Email && l.Mail != nil:
		return "EMAIL from " + l.Mail.From + " to " + l.Mail.To
	case l.Kind == journal.Socket && l.Socket != nil:
		return "WEBSOCKET " + l.Socket.Type + lineObject(l)
	case l.RPCMethod != "":
		return "RPC " + l.RPCMethod + lineObject(l)
	case l.Request != nil:
		return l.Request.Method + " " + l.Request.URL + lineObject(l)
	case l.Kind == journal.Scheduled:
		return "CRON " + l.Cron + " " + l.Scheduled
	}
	return strings.ToUpper(string(l.Kind)) + lineObject(l)
}

func lineObject(l *journal.Line) string {
	if l.Object == nil {
		return ""
	}
	who := l.Object.Name
	if who == "" {
		who = l.Object.ID
	}
	return " in " + l.Object.Namespace + " " + who
}

// lineOutcome describes the result of an event in a word or two.
func lineOutcome(l *journal.Line) string {
	text := l.Outcome
	if l.Delivers() {
		acked := 0
		for i := range l.Messages {
			if l.Messages[i].Outcome == journal.Ack {
				acked++
			}
		}
		text += fmt.Sprintf(" %d/%d", acked, len(l.Messages))
	}
	if l.Request != nil && l.Request.Status != 0 {
		text = fmt.Sprint(l.Request.Status)
	}
	return text
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// shownValue is how much of a value is shown.
const shownValue = 400

func shortened(text string) string {
	if r := []rune(text); len(r) > shownValue {
		return string(r[:shownValue-1]) + "…"
	}
	return text
}
