package email

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/clock"
	"eddy/runtime/worker"
)

//go:embed email.js
var source string

func classes(iso *worker.Isolate) (*goja.Object, error) {
	type key struct{}
	if made, ok := iso.Value(key{}).(*goja.Object); ok {
		return made, nil
	}
	v, err := iso.Internal("cloudflare-internal:email", source)
	if err != nil {
		return nil, err
	}
	made := v.ToObject(iso.Runtime())
	iso.SetValue(key{}, made)
	return made, nil
}

// maxMessage is production's limit of a message, in bytes (BIND-17).
const maxMessage = 5 << 20

// Binding is a send_email binding: env[Key].
type Binding struct {
	Key     string
	Allowed Allowed
	Mailbox Mailbox
	Clock   clock.Clock
	// Sent is told of each message that was taken. Any goroutine.
	Sent func(about string)
}

// Name implements [worker.Binding].
func (b Binding) Name() string { return b.Key }

// Install implements [worker.Binding].
func (b Binding) Install(iso *worker.Isolate) (goja.Value, error) {
	all, err := classes(iso)
	if err != nil {
		return nil, err
	}
	send := iso.Realm.Function("send", func(c goja.FunctionCall) goja.Value {
		from, to, raw := c.Argument(0).String(), c.Argument(1), bytesOf(iso, c.Argument(2))
		return request(iso, func() (string, error) {
			if goja.IsNull(to) || goja.IsUndefined(to) {
				return b.send(from, b.Allowed.Destination, raw)
			}
			return b.send(from, to.String(), raw)
		})
	})
	build := iso.Realm.Function("build", func(c goja.FunctionCall) goja.Value {
		text := c.Argument(0).String()
		return request(iso, func() (string, error) { return b.build(text) })
	})
	return iso.Runtime().New(all.Get("SendEmail"), send, build)
}

func bytesOf(iso *worker.Isolate, v goja.Value) []byte {
	raw, _ := iso.Realm.Bytes(v)
	return append([]byte(nil), raw...)
}

// request runs work behind the output gate; the promise is settled with the id that it returns.
func request(iso *worker.Isolate, work func() (string, error)) goja.Value {
	failure := func(err error) goja.Value {
		v := iso.Realm.NewError("Error", err.Error())
		_ = v.ToObject(iso.Runtime()).Set("remote", true) // on the platform a service says it
		var e *Error
		if errors.As(err, &e) && e.Code != "" {
			_ = v.ToObject(iso.Runtime()).Set("code", e.Code)
		}
		return v
	}
	return iso.Host.Scope().Request(func() func() (goja.Value, goja.Value) {
		id, err := work()
		return func() (goja.Value, goja.Value) {
			if err != nil {
				return nil, failure(err)
			}
			return iso.Runtime().ToValue(id), nil
		}
	}, failure)
}

func (b Binding) send(from, to string, raw []byte) (string, error) {
	if err := b.Allowed.addresses(from, []string{to}); err != nil {
		return "", err
	}
	if len(raw) > maxMessage {
		return "", &Error{"E_CONTENT_TOO_LARGE", fmt.Sprintf("the message has %d bytes, expected at most %d", len(raw),
			maxMessage)}
	}
	if _, err := checkRaw(from, raw); err != nil {
		return "", err
	}
	file, err := b.Mailbox.Keep(raw)
	if err == nil {
		b.Sent("send_email binding called with the following message:\n  " + file)
	}
	return newID(from), err
}

func (b Binding) build(text string) (string, error) {
	var m builder
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return "", &Error{"E_VALIDATION_ERROR", "the message cannot be read: " + err.Error()}
	}
	if err := m.check(); err != nil {
		return "", err
	}
	if err := b.Allowed.addresses(m.From.Address, addressesOf(m.To)); err != nil {
		return "", err
	}
	id := newID(m.From.Address)
	raw, err := m.mime(id, "", b.Clock.Now())
	if err != nil {
		return "", err
	}
	if len(raw) > maxMessage {
		return "", &Error{"E_CONTENT_TOO_LARGE", fmt.Sprintf("the message has %d bytes, expected at most %d", len(raw),
			maxMessage)}
	}
	file, err := b.Mailbox.Keep(raw)
	if err != nil {
		return "", err
	}
	about := []string{"send_email binding called with MessageBuilder:", "From: " + m.From.String()}
	for _, line := range [][2]string{{"To", list(m.To)}, {"Cc", list(m.CC)}, {"Bcc", list(m.BCC)},
		{"Subject", *m.Subject},
		{"Message", file}} {
		if line[1] != "" {
			about = append(about, line[0]+": "+line[1])
		}
	}
	b.Sent(strings.Join(about, "\n"))
	return id, nil
}
