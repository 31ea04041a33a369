package explorer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"eddy/runtime/control"
)

// A life says where the message became a dead letter: known from where it was afterwards, whoever took it there.
func TestDeaths(t *testing.T) {
	dead := MessagePlace{Queue: "dlq", Message: control.Message{DeadLetter: &control.DeadLetter{}}}
	for _, c := range []struct {
		life   string // QUEUE:OUTCOME of an attempt, QUEUE!ACT of a person
		places []MessagePlace
		want   string
	}{
		{"jobs:retry jobs:retry", []MessagePlace{dead}, "jobs:retry jobs:retry +dlq"},
		{"jobs:retry", nil, "jobs:retry"},
		{"jobs:retry jobs:ack", nil, "jobs:retry jobs:ack"},
		{"jobs:retry dlq!edit dlq!redrive jobs:ack", nil, "jobs:retry +dlq dlq!edit dlq!redrive jobs:ack"},
		{"jobs:retry dlq!redrive jobs:retry", []MessagePlace{dead}, "jobs:retry +dlq dlq!redrive jobs:retry +dlq"},
		{"jobs:retry dlq!redrive other:retry dlq!skip", nil, "jobs:retry +dlq dlq!redrive other:retry +dlq dlq!skip"},
		{"jobs:retry dlq:retry dlq:ack", nil, "jobs:retry +dlq dlq:retry dlq:ack"},
		{"jobs:retry dlq!escalate", []MessagePlace{dead}, "jobs:retry +dlq dlq!escalate"},
		{"jobs:", []MessagePlace{{Queue: "jobs"}}, "jobs:"},
	} {
		m := &MessagePage{Places: c.places}
		for i, word := range strings.Fields(c.life) {
			item := LifeItem{At: time.UnixMilli(int64(i))}
			if queue, became, ok := strings.Cut(word, ":"); ok {
				item.Attempt = &Attempt{Queue: queue, Became: became}
			} else {
				queue, action, _ := strings.Cut(word, "!")
				item.Note = &control.Note{Queue: queue, Action: action}
			}
			m.Life = append(m.Life, item)
		}
		m.deaths()
		var got []string
		for _, item := range m.Life {
			switch {
			case item.Attempt != nil:
				got = append(got, item.Attempt.Queue+":"+item.Attempt.Became)
			case item.Note != nil:
				got = append(got, item.Note.Queue+"!"+item.Note.Action)
			default:
				got = append(got, fmt.Sprint("+", item.Dead))
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.life, s, c.want)
		}
	}
}
