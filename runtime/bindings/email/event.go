package email

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/mail"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/cause"
	"eddy/runtime/clock"
	"eddy/runtime/journal"
	"eddy/runtime/worker"
)

// IncomingMail is a message that comes in: an event of the handler email().
type IncomingMail struct {
	From, To string
	Raw      []byte
	Header   mail.Header
	Mailbox  Mailbox
	Clock    clock.Clock
	// Say is told what the handler does. Any goroutine.
	Say func(about string)

	result  Result
	did     []journal.MailAct // for the journal
	failure *worker.Exception
	done    chan error
}

// Result is what the handler did (BIND-23).
type Result struct {
	Outcome      string    `json:"outcome"`
	RejectReason string    `json:"rejectReason,omitempty"`
	Forwards     []Forward `json:"forwards"`
	Replies      []Reply   `json:"replies"`
	Events       []Action  `json:"events"`
	// Err is why the handler failed.
	Err error `json:"-"`
}

// Forward is a message that was sent on.
type Forward struct {
	MessageID string      `json:"messageId"`
	Recipient string      `json:"recipient"`
	Headers   [][2]string `json:"headers"`
}

// Reply is an answer to the sender.
type Reply struct {
	MessageID string `json:"messageId"`
	Sender    string `json:"sender"`
	Raw       string `json:"raw"`
}

// Action is one thing that the handler did, in their order.
type Action struct {
	Type      string `json:"type"`
	Timestamp int64  `json:"timestamp"`
	MessageID string `json:"messageId,omitempty"`
}

// Kind implements [worker.Event].
func (*IncomingMail) Kind() string { return "email" }

// Causes implements [worker.Recorder]: a message brings none.
func (*IncomingMail) Causes() []cause.Cause { return nil }

// Record implements [worker.Recorder].
func (e *IncomingMail) Record(into *journal.Entry) {
	into.Mail = &journal.Mail{From: e.From, To: e.To, Did: e.did}
	into.Mail.SetText(e.Raw)
}

// Parse reads a message as it comes in; an error is the text of the refusal (BIND-22).
func Parse(from, to string, raw []byte) (*IncomingMail, error) {
	const local, production = 1 << 20, 25 << 20
	switch {
	case from == "" || to == "" || len(raw) == 0:
		return nil,
			errors.New("Invalid email. Your request must include URL parameters specifying the `from` and `to` " +
				"addresses, as well as an email in the body")
	case len(raw) > production:
		return nil, errors.New("Email message size is bigger than the production size limit of 25MiB. Local " +
			"development " +
			"has a lower limit of 1Mib.")
	case len(raw) > local:
		return nil,
			errors.New("Email message size is within the production size limit of 25MiB, but exceeds the lower " +
				"1Mib limit for testing locally.")
	}
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("Email could not be parsed: Error: %w", err)
	}
	if m.Header.Get("Message-Id") == "" {
		return nil, errors.New("Email could not be parsed: invalid or no message id provided")
	}
	return &IncomingMail{From: from, To: to, Raw: raw, Header: m.Header, done: make(chan error, 1),
		result: Result{Outcome: "ok", Forwards: []Forward{}, Replies: []Reply{}, Events: []Action{}}}, nil
}

// Deliver hands the message to a Worker and waits for the end of the event.
func (e *IncomingMail) Deliver(ctx context.Context, iso *worker.Isolate) Result {
	err := errors.New("the Worker was stopped")
	if iso.Dispatch(ctx, e, worker.DispatchOptions{}) {
		select {
		case err = <-e.done:
		case <-ctx.Done():
			return Result{Outcome: "canceled", Err: ctx.Err()} // the event goes on without a listener
		}
	}
	if e.result.Err = err; err != nil {
		e.result.Outcome = "exception"
	}
	return e.result
}

// Send hands the message to a Worker and waits for nothing. It is for a caller who learns from the journal what became
// of it. False says that the Worker was stopped.
func (e *IncomingMail) Send(ctx context.Context, iso *worker.Isolate, o worker.DispatchOptions) bool {
	return iso.Dispatch(ctx, e, o)
}

// Run implements [worker.Event].
func (e *IncomingMail) Run(inv *worker.Invocation) goja.Value {
	iso := inv.Isolate
	h, ok := inv.Handler("email")
	if !ok {
		iso.Realm.ThrowError("Error", "Handler does not export a email() function.")
	}
	all, err := classes(iso)
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	rt := iso.Runtime()
	message, err := rt.New(all.Get("ForwardableEmailMessage"), rt.ToValue(e.From), rt.ToValue(e.To), e.headers(iso),
		iso.Realm.Uint8Array(append([]byte(nil), e.Raw...)), e.native(iso))
	if err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return h.Call(inv, message)
}

// headers are the pairs of the message's head.
func (e *IncomingMail) headers(iso *worker.Isolate) goja.Value {
	var pairs []any
	for name, values := range e.Header {
		for _, value := range values {
			pairs = append(pairs, iso.Runtime().NewArray(name, value))
		}
	}
	return iso.Runtime().NewArray(pairs...)
}

// native is what the message's methods call.
func (e *IncomingMail) native(iso *worker.Isolate) goja.Value {
	rt := iso.Runtime()
	o := rt.NewObject()
	step := func(kind, id string) {
		e.result.Events = append(e.result.Events, Action{kind, e.Clock.Now().UnixMilli(), id})
	}
	set := func(name string, f func(c goja.FunctionCall) goja.Value) {
		_ = o.Set(name, iso.Realm.Function(name, f))
	}
	set("reject", func(c goja.FunctionCall) goja.Value {
		e.result.RejectReason = c.Argument(0).String()
		e.did = append(e.did, journal.MailAct{Type: "reject", Reason: e.result.RejectReason})
		e.Say(fmt.Sprintf("Email handler rejected message with the following reason: %q", e.result.RejectReason))
		step("reject", "")
		return nil
	})
	set("forward", func(c goja.FunctionCall) goja.Value {
		f := Forward{MessageID: localID(iso), Recipient: c.Argument(0).String(), Headers: [][2]string{}}
		var lines []string
		rt.ForOf(c.Argument(1), func(pair goja.Value) bool {
			p := pair.ToObject(rt)
			f.Headers = append(f.Headers, [2]string{p.Get("0").String(), p.Get("1").String()})
			lines = append(lines, "\n  "+p.Get("0").String()+": "+p.Get("1").String())
			return true
		})
		e.result.Forwards = append(e.result.Forwards, f)
		act := journal.MailAct{Type: "forward", To: f.Recipient}
		act.SetText([]byte(strings.TrimPrefix(strings.Join(lines, ""), "\n")))
		e.did = append(e.did, act)
		e.Say("Email handler forwarded message with\n  rcptTo: " + f.Recipient + strings.Join(lines, ""))
		step("forward", f.MessageID)
		return rt.ToValue(f.MessageID)
	})
	reply := func(r Reply, raw []byte) goja.Value {
		r.Raw = string(raw)
		e.result.Replies = append(e.result.Replies, r)
		act := journal.MailAct{Type: "reply", To: r.Sender}
		act.SetText(raw)
		e.did = append(e.did, act)
		step("reply", r.MessageID)
		return request(iso, func() (string, error) {
			file, err := e.Mailbox.Keep(raw)
			if err == nil {
				e.Say("Email handler replied to sender with the following message:\n  " + file)
			}
			return r.MessageID, err
		})
	}
	set("reply", func(c goja.FunctionCall) goja.Value {
		r := Reply{MessageID: localID(iso), Sender: c.Argument(0).String()}
		raw, err := checkReply(e.Header, r.Sender, bytesOf(iso, c.Argument(2)))
		if err != nil {
			throw(iso, err)
		}
		return reply(r, raw)
	})
	set("replyBuilt", func(c goja.FunctionCall) goja.Value {
		r := Reply{MessageID: localID(iso)}
		m, raw, err := e.replyOf(c.Argument(0).String(), r.MessageID, localID(iso))
		if err != nil {
			throw(iso, err)
		}
		r.Sender = m.From.Address
		return reply(r, raw)
	})
	return o
}

// replyOf makes an answer to the message of a builder (BIND-25): it goes to the sender, and the headers that make a
// thread are set.
func (e *IncomingMail) replyOf(text, id, boundary string) (*builder, []byte, error) {
	if err := replyable(e.Header); err != nil {
		return nil, nil, err
	}
	m := &builder{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return nil, nil, &Error{"E_VALIDATION_ERROR", "the message cannot be read: " + err.Error()}
	}
	m.To, m.CC, m.BCC = []*mail.Address{{Address: e.From}}, nil, nil
	if err := m.check(); err != nil {
		return nil, nil, err
	}
	own := e.Header.Get("Message-Id")
	thread := map[string]string{"In-Reply-To": own,
		"References": strings.TrimSpace(e.Header.Get("References") + " " + own)}
	for name, value := range m.Headers {
		if http.CanonicalHeaderKey(name) != "In-Reply-To" && http.CanonicalHeaderKey(name) != "References" {
			thread[name] = value
		}
	}
	m.Headers = thread
	boundary, _, _ = strings.Cut(boundary, "@")
	raw, err := m.mime("<"+id+">", boundary, e.Clock.Now())
	return m, raw, err
}

// throw throws what a mistake of the sender looks like to scripts.
func throw(iso *worker.Isolate, err error) {
	v := iso.Realm.NewError("Error", err.Error())
	var mistake *Error
	if errors.As(err, &mistake) && mistake.Code != "" {
		_ = v.ToObject(iso.Runtime()).Set("code", mistake.Code)
	}
	panic(v)
}

// localID is the id of what is forwarded or replied (BIND-24). A replay gives it again.
func localID(iso *worker.Isolate) string {
	var b [16]byte
	if err := iso.Host.Fill(b[:]); err != nil {
		panic(iso.Realm.ErrorValue(err))
	}
	return hex.EncodeToString(b[:]) + "@example.com"
}

// Settle implements [worker.Event].
func (e *IncomingMail) Settle(inv *worker.Invocation, _, failure goja.Value) {
	if failure != nil {
		e.failure = inv.Isolate.Exception(failure)
		inv.Isolate.Uncaught(failure)
	}
}

// Done implements [worker.Event].
func (e *IncomingMail) Done(_ *worker.Invocation, err error) {
	if err == nil && e.failure != nil {
		err = e.failure
	}
	e.done <- err
}
