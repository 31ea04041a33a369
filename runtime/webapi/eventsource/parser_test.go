package eventsource

import (
	"reflect"
	"strings"
	"testing"
)

func parseEvents(chunks ...string) (list []serverEvent, p *eventParser, retries []int) {
	p = &eventParser{retry: func(ms int) { retries = append(retries, ms) }}
	for _, c := range chunks {
		list = append(list, p.feed([]byte(c))...)
	}
	return list, p, retries
}

func TestEventStream(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []serverEvent
	}{
		"message": {"data: a\n\n", []serverEvent{{"message", "a", ""}}},
		"lines":   {"data:a\rdata: b\r\n\r\n", []serverEvent{{"message", "a\nb", ""}}},
		"type and id": {
			"event: x\nid: 7\ndata: a\n\ndata: b\n\n", []serverEvent{{"x", "a", "7"}, {"message", "b", "7"}}},
		"id is reset": {
			"id: 7\ndata: a\n\nid\ndata: b\n\n", []serverEvent{{"message", "a", "7"}, {"message", "b", ""}}},
		"comment":       {": data: no\n\ndata: yes\n\n", []serverEvent{{"message", "yes", ""}}},
		"no data":       {"event: x\n\ndata\n\ndata: a\n\n", []serverEvent{{"message", "a", ""}}},
		"byte order":    {"\uFEFFdata: a\n\n", []serverEvent{{"message", "a", ""}}},
		"not complete":  {"data: a\n", nil},
		"one space":     {"data:  a\n\n", []serverEvent{{"message", " a", ""}}},
		"unknown field": {"foo: 1\ndata: a\n\n", []serverEvent{{"message", "a", ""}}},
	} {
		got, _, _ := parseEvents(c.in)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, _, retries := parseEvents("retry: 20\nretry: x\nretry:\n"); !reflect.DeepEqual(retries, []int{20}) {
		t.Errorf("retries %v", retries)
	}
}

// However a stream is cut, the events are the same.
func FuzzEventStream(f *testing.F) {
	f.Add("data: a\r\n\r\nid: 1\rdata: b\r\r", uint8(3))
	f.Add("\uFEFFevent: x\ndata\n\n: c\n\ndata: \xff\n\n", uint8(1))
	f.Fuzz(func(t *testing.T, in string, n uint8) {
		whole, p, _ := parseEvents(in)
		step := int(n)%7 + 1
		var chunks []string
		for rest := in; rest != ""; {
			k := min(step, len(rest))
			chunks, rest = append(chunks, rest[:k]), rest[k:]
		}
		cut, q, _ := parseEvents(chunks...)
		if !reflect.DeepEqual(whole, cut) || p.lastID != q.lastID {
			t.Fatalf("whole %+v\ncut %+v", whole, cut)
		}
		for _, e := range whole {
			if e.data == "" || strings.Contains(e.id, "\x00") {
				t.Fatalf("%+v", e)
			}
		}
	})
}
