package queues

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// dump is the state as text. Tests compare it before and after a restart, and text tests show it. Deliveries to push
// consumers are in it only if push is set, because a restart forgets them.
func (s *State) dump(push bool) string {
	var b strings.Builder
	for _, q := range s.sorted() {
		q.promote(s.now)
		fmt.Fprintf(
			&b,
			"queue %d %s count=%d bytes=%d dead=%d%s\n",
			q.serial,
			q.name,
			q.arrival.n,
			q.bytes,
			q.dead,
			settingsText(q.settings),
		)
		if q.consumer != nil {
			fmt.Fprintf(&b, "  consumer %s\n", consumerText(q.consumer.config))
		}
		at := map[*message]string{}
		var ready []*message
		for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
			switch m.at {
			case atReady:
				ready = append(ready, m)
			case atDelayed:
				at[m] = "delayed until " + clockText(m.key)
			case atLease:
				l := q.leases[uint64(m.key)]
				at[m] = fmt.Sprintf("lease %d until %s", l.num, clockText(l.until))
				if l.push {
					at[m] = fmt.Sprintf("batch %d until %s", l.num, clockText(l.until))
				}
				if l.held {
					at[m] = "held"
				}
				if l.push && !push {
					ready = append(ready, m)
				}
			}
		}
		slices.SortFunc(ready, func(a, b *message) int { return int(q.readyKey(a) - q.readyKey(b)) })
		for i, m := range ready {
			at[m] = fmt.Sprintf("ready #%d", i+1)
		}
		for m := q.arrival.head; m != nil; m = m.link[byArrival].next {
			fmt.Fprintf(&b, "  %d %s\n", m.num, entryText(m, at[m]))
		}
	}
	for _, l := range s.sortedLanes() {
		fmt.Fprintf(&b, "lane %s of %s\n", l.key, l.queue.name)
		for m := l.msgs.head; m != nil; m = m.link[byArrival].next {
			place := "ready"
			if m.at == atHandOff {
				place = "hand-off"
			}
			if m.key > s.now {
				place += " from " + clockText(m.key)
			}
			fmt.Fprintf(&b, "  %d %s\n", m.num, entryText(m, place))
		}
	}
	for _, n := range s.notes {
		fmt.Fprintf(&b, "note %s %s %s: %s\n", clockText(millis(n.At)), n.Action, n.Queue, n.Text)
	}
	return b.String()
}

func (q *queue) readyKey(m *message) int64 {
	if m.at != atLease {
		return m.key
	}
	l := q.leases[uint64(m.key)]
	return l.keys[slices.Index(l.msgs, m)]
}

func entryText(m *message, place string) string {
	text := fmt.Sprintf(
		"%s %s %d bytes sent %s fails=%d %s",
		m.id.String()[:8],
		m.ctype,
		m.size,
		clockText(m.sent),
		m.fails,
		place,
	)
	if m.hist != nil && m.hist.arrived != 0 {
		text += " arrived " + clockText(m.hist.arrived)
	}
	if trace := m.trace(); trace != "" {
		text += " trace " + trace
	}
	if m.hist != nil && m.hist.dead != nil {
		d := m.hist.dead
		text += fmt.Sprintf(
			" dead from %s: %s %q attempts=%d first=%s last=%s",
			d.Source,
			d.Reason,
			d.Error,
			d.Attempts,
			clockText(millis(d.FirstAttempt)),
			clockText(millis(d.LastAttempt)),
		)
		if d.Escalated != "" {
			text += fmt.Sprintf(" escalated %q", d.Escalated)
		}
	}
	return text
}

func settingsText(s QueueSettings) string {
	text := ""
	if s.DeliveryDelay != 0 {
		text += " delay=" + s.DeliveryDelay.String()
	}
	if s.DeliveryPaused {
		text += " paused"
	}
	switch s.Retention {
	case DefaultQueueSettings().Retention:
	case KeepForever:
		text += " retention=forever"
	default:
		text += " retention=" + s.Retention.String()
	}
	return text
}

func consumerText(c ConsumerConfig) string {
	return fmt.Sprintf(
		"%s size=%d wait=%v retries=%d delay=%v dlq=%q concurrency=%d visibility=%v",
		c.Type,
		c.MaxBatchSize,
		c.MaxBatchTimeout,
		c.MaxRetries,
		c.RetryDelay,
		c.DeadLetterQueue,
		c.MaxConcurrency,
		c.VisibilityTimeout,
	)
}

func clockText(ms int64) string { return fromMillis(ms).Format("02T15:04:05.000") }

// describe is an event as text: its name and the fields that are not zero.
func describe(e LogEvent) string {
	v := reflect.ValueOf(e).Elem()
	return v.Type().Name() + fieldsText(v)
}

func fieldsText(v reflect.Value) string {
	var b strings.Builder
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || v.Field(i).IsZero() {
			continue
		}
		fmt.Fprintf(&b, " %s=%s", strings.ToLower(f.Name), valueText(v.Field(i)))
	}
	return b.String()
}

func valueText(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case ID:
		return x.String()[:8]
	case time.Time:
		return clockText(millis(x))
	case []byte:
		return fmt.Sprintf("%q", x)
	case string:
		return fmt.Sprintf("%q", x)
	case ConsumerConfig:
		return "{" + consumerText(x) + "}"
	case fmt.Stringer:
		return x.String()
	}
	switch v.Kind() {
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, valueText(v.Index(i)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Struct:
		return "{" + strings.TrimSpace(fieldsText(v)) + "}"
	default:
		return fmt.Sprint(v.Interface())
	}
}
