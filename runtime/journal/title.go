package journal

import (
	"fmt"
	"strings"
)

// Title says on one line what came: a request, a batch, a cron, a call. It holds what clients sent, so whoever shows
// it escapes it.
func (e *Entry) Title() string {
	where := ""
	if e.Object != nil {
		where = " in " + e.Object.Title()
	}
	switch {
	case e.Request != nil:
		return e.Request.Method + " " + e.Request.URL + where
	case e.Delivery != nil:
		return e.Delivery.title() + where
	case e.Schedule != nil:
		return "CRON " + e.Schedule.Cron
	case e.Mail != nil:
		return fmt.Sprintf("EMAIL from %s to %s (%d bytes)", e.Mail.From, e.Mail.To, e.Mail.Size)
	case e.Kind == RPC:
		return "RPC " + e.RPCMethod + short(e.callArguments(), 40) + where
	case e.Socket != nil:
		return "WEBSOCKET " + e.Socket.Type + where
	case e.Workflow != nil:
		return strings.Join(strings.Fields("WORKFLOW "+e.Workflow.Name+" "+e.Workflow.Instance+" "+e.Workflow.Event+" "+
			e.Workflow.Step+" "+e.Workflow.Error), " ")
	}
	return strings.ToUpper(string(e.Kind)) + where
}

// title names the queue or the lane, how many messages came, and the most attempts among them.
func (d *Delivery) title() string {
	what := "QUEUE " + d.Queue
	if d.Lane != "" {
		what = "LANE " + d.Queue + "/" + d.Lane
	}
	text := fmt.Sprintf("%s %d messages", what, len(d.Messages))
	if len(d.Messages) == 1 {
		text = what + " 1 message"
	}
	if most := d.MostAttempts(); most > 1 {
		text += fmt.Sprintf(", attempt %d", most)
	}
	return text
}

// MostAttempts is the highest count of attempts among the messages.
func (d *Delivery) MostAttempts() (most int) {
	for i := range d.Messages {
		most = max(most, d.Messages[i].Attempts)
	}
	return most
}

// Acked counts the messages that were acknowledged.
func (d *Delivery) Acked() (n int) {
	for i := range d.Messages {
		if d.Messages[i].Outcome == Ack {
			n++
		}
	}
	return n
}

// Result says on one line what became of the event: the status of a response, how many messages of a batch were
// acknowledged, else the outcome.
func (e *Entry) Result() string {
	switch {
	case e.Request != nil && e.Request.Status != 0 && e.Outcome == "ok":
		return fmt.Sprint(e.Request.Status)
	case e.Delivery != nil:
		return fmt.Sprintf("%s %d/%d", e.Outcome, e.Delivery.Acked(), len(e.Delivery.Messages))
	}
	return e.Outcome
}

// callArguments are those of an RPC call in brackets, "" for none.
func (e *Entry) callArguments() string {
	if e.RPCArguments == "" {
		return ""
	}
	return "(" + strings.TrimSuffix(strings.TrimPrefix(e.RPCArguments, "["), "]") + ")"
}

// Title names the object by its namespace and its name, or its id.
func (o *Object) Title() string {
	if o.Name != "" {
		return o.Namespace + " " + o.Name
	}
	return o.Namespace + " " + o.ID
}

// short is a text on one line, of at most n characters.
func short(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
