package replay

import (
	"context"
	"errors"
	"fmt"

	"eddy/runtime/bindings/email"
	"eddy/runtime/journal"
	"eddy/runtime/worker"
)

// mail lets a message come in again.
func (p *player) mail(ctx context.Context, w *worker.Worker, l *journal.Line, o worker.DispatchOptions) error {
	event, err := mailOf(l)
	if err != nil {
		return err
	}
	event.Clock, event.Mailbox = p.clock, email.Mailbox{Dir: p.up.Mailbox()}
	event.Say = func(string) {}
	if !event.Send(ctx, w.Isolate, o) {
		return errors.New("the Worker does not run")
	}
	return nil
}

// mailOf is the message of a line.
func mailOf(l *journal.Line) (*email.IncomingMail, error) {
	if l.Mail == nil || l.Mail.Text == nil {
		return nil, errors.New("an event of kind email: expected mail with its text")
	}
	raw, err := l.Mail.Text.Bytes()
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	event, err := email.Parse(l.Mail.From, l.Mail.To, raw)
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	return event, nil
}

// mailActs is what email() did, for a comparison.
func mailActs(l *journal.Line) any {
	list := []any{}
	for _, a := range l.Mail.Did {
		act := map[string]any{"type": a.Type, "to": a.To, "reason": a.Reason}
		if a.Text != nil && !a.Cut {
			act["text"] = body(a.Text)
		}
		list = append(list, act)
	}
	return list
}
