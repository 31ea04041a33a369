package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// maxTogether bounds the commands that go together, in bytes. One that is larger goes alone.
const maxTogether = 4 << 20

// InOrder is a [Distant] whose commands are executed in the order in which they were given. Those that come while
// others are on their way go together with the next ones; those that wait for long go by themselves. send is called on
// a goroutine of its own and waits for the answer.
func InOrder(send func(text []byte, reads bool) ([]byte, error)) *Distant {
	l := &line{send: send}
	return &Distant{Send: l.add}
}

// line is what waits to be sent.
type line struct {
	send func(text []byte, reads bool) ([]byte, error)

	mu      sync.Mutex // guards the rest
	waiting []Command
	sending bool
}

func (l *line) add(c Command) {
	if c.Waits {
		go func() { c.Answer(l.send(c.Text, c.Reads)) }()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, c)
	if !l.sending {
		l.sending = true
		go l.run()
	}
}

func (l *line) run() {
	for {
		l.mu.Lock()
		n, size := 0, 0
		for n < len(l.waiting) && (n == 0 || size+len(l.waiting[n].Text) <= maxTogether) {
			size += len(l.waiting[n].Text)
			n++
		}
		list := l.waiting[:n:n]
		l.waiting = l.waiting[n:]
		l.sending = n > 0
		l.mu.Unlock()
		switch n {
		case 0:
			return
		case 1:
			list[0].Answer(l.send(list[0].Text, list[0].Reads))
		default:
			l.together(list)
		}
	}
}

// together sends several commands as one. If it is not known what has become of them, those that only read are sent
// again.
func (l *line) together(list []Command) {
	a := asked{What: "several"}
	reads := true
	for _, c := range list {
		a.Several = append(a.Several, c.Text)
		reads = reads && c.Reads
	}
	text, err := json.Marshal(a)
	if err == nil {
		text, err = l.send(text, reads)
	}
	var t told
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err == nil && len(t.Several) != len(list) {
		err = fmt.Errorf("%d commands were sent, and %d answered", len(list), len(t.Several))
	}
	for i, c := range list {
		switch {
		case err == nil:
			c.Answer(t.Several[i], nil)
		case c.Reads && !reads && errors.Is(err, ErrDisconnected):
			go func() { c.Answer(l.send(c.Text, true)) }()
		default:
			c.Answer(nil, err)
		}
	}
}

// serveSeveral executes commands in order, and answers when all have their answers. If the workflow fails, what has
// become of the others is not known.
func (w *Workflow) serveSeveral(list []json.RawMessage, answer func([]byte, error)) {
	var mu sync.Mutex // guards the rest
	left, answers, refused := len(list), make([]json.RawMessage, len(list)), 0
	var failed error
	if left == 0 {
		answer(told{}.text(), nil)
		return
	}
	for i, command := range list {
		w.Serve(command, func(text []byte, err error) {
			mu.Lock()
			defer mu.Unlock()
			answers[i] = text
			if err != nil {
				refused++
				if failed == nil || errors.Is(failed, ErrClosed) { // which says that nothing has happened
					failed = err
				}
			}
			if left--; left > 0 {
				return
			}
			switch {
			case failed == nil:
				answer(told{Several: answers}.text(), nil)
			case refused == len(list):
				answer(nil, failed)
			default: // some were executed
				answer(nil, ErrDisconnected)
			}
		})
	}
}
