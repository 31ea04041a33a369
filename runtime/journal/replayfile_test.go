package journal

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// checked fails the test unless a line follows the schema that the documentation shows.
func checked(t *testing.T, line []byte) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/replay.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s\n%v", line, err)
	}
}

// Bodies come back byte for byte, in the most readable form that allows it.
func TestBodiesKeepTheirBytes(t *testing.T) {
	for body, form := range map[string]string{
		`{"a":1}`: `{"json":{"a":1}}`, `{"a": 1}`: `{"text":"{\"a\": 1}"}`, `"x"`: `{"json":"x"}`,
		"null": `{"json":null}`,
		"":     `{"text":""}`, "plain": `{"text":"plain"}`, "\xff\x0f\"": `{"base64":"/w8i"}`,
		"1e400":       `{"json":1e400}`,
		`"<&>\u2028"`: `{"json":"<&>\u2028"}`, "\"<\u2028>\"": "{\"json\":\"<\u2028>\"}",
		"12345678901234567890.10": `{"json":12345678901234567890.10}`, `{"a":1,"a":2}`: `{"json":{"a":1,"a":2}}`,
	} {
		e := event(1, body)
		e.Delivery.Messages[0].ID, e.Delivery.Messages[0].Attempts = [16]byte{7}, 1
		line, err := e.Line().Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(line), `"body":`+form+`,`) {
			t.Errorf("%q is written as %s, want %s", body, line, form)
		}
		checked(t, line)
		l, err := ParseLine(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got, err := l.Messages[0].Body.Bytes(); err != nil || string(got) != body {
			t.Errorf("%q came back as %q: %v", body, got, err)
		}
	}
}

// A line with everything follows the schema, and is the same when it is read and written again.
func TestLineHasEverything(t *testing.T) {
	var e Entry
	n := 0
	set(reflect.ValueOf(&e).Elem(), &n)
	e.Kind, e.Outcome = Dead, "exception"
	for i, list := range [][]Message{e.Delivery.Messages, e.Sent[0].Messages, e.Sent[1].Messages} {
		for j := range list {
			m := &list[j]
			m.ContentType, m.Outcome, m.Body = "bytes", Retry, []byte{0xff, byte(i)}
			m.Cause = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		}
	}
	e.Socket.Type, e.RPCArguments = "message", `["a"]`
	for i := range e.Frames {
		e.Frames[i].Event.Type = "close"
	}
	for i := range e.Mail.Did {
		e.Mail.Did[i].Type = "reply"
	}
	e.Accesses[0].Store, e.Accesses[1].Store = "kv", "storage"
	e.Logs[0].Message, e.Logs[1].Message = `["a",1]`, "not JSON"
	line, err := e.Line().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	checked(t, line)
	l, err := ParseLine(line)
	if err != nil {
		t.Fatal(err)
	}
	again, err := l.Marshal()
	if err != nil || !bytes.Equal(line, again) {
		t.Errorf("written again: %v\n%s\n%s", err, line, again)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		t.Fatal(err)
	}
	for i := range reflect.TypeFor[Line]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[Line]().Field(i).Tag.Get("json"), ",")
		if _, ok := fields[name]; ok == (name == "ignore") { // that is of a line of its own
			t.Errorf("the line has %s: %v", name, ok)
		}
	}
}

// A line of kind ignore has paths and no event.
func TestIgnoreLine(t *testing.T) {
	line := []byte(`{"version":1,"kind":"ignore","ignore":["kv.*.at"]}`)
	checked(t, line)
	l, err := ParseLine(line)
	if err != nil || len(l.Ignore) != 1 {
		t.Fatal(l, err)
	}
	if _, err := ParseLine([]byte(`{"version":1,"kind":"ignore"}`)); err == nil {
		t.Error("a line without paths is taken")
	}
}

func TestBadLines(t *testing.T) {
	for line, want := range map[string]string{
		`{"version":1,"kind":"queue","at":"2026-11-2`: "not a line of a capture: unexpected end of JSON input",
		`{"version":2}`:                  "version 2; this release reads 1",
		`[]`:                             "not a line of a capture: expected an object of JSON, found: array",
		`{"version":"1"}`:                "not a line of a capture: version: it cannot be of the type string",
		`{"version":1,"at":"yesterday"}`: `at "yesterday": expected a time as 2026-11-23T12:00:00.000000Z`,
		`{"version":1,"at":"2026-11-23T12:00:00Z","messages":[{"body":{}}]}`: "message 1: body: expected one of " +
			"json, text " +
			"and base64",
		`{"version":1,"at":"2026-11-23T12:00:00Z","messages":[{"id":"x","body":{"text":""}}]}`: `message 1: id "x": ` +
			"expected 32 hexadecimal digits",
		`{"version":1,"at":"2026-11-23T12:00:00Z","links":["x"]}`: `link "x": expected a traceparent`,
	} {
		if _, err := ParseLine([]byte(line)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", line, err, want)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	e := event(1, `{"a":1}`)
	e.Delivery.Messages[0].ID = [16]byte{7}
	line, err := e.Line().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line)
	f.Add([]byte(`{"version":1,"at":"2026-11-23T12:00:00Z","messages":[{"id":"x","body":{"base64":"="}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		l, err := ParseLine(line)
		if err != nil {
			return
		}
		text, err := l.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseLine(text)
		if err != nil {
			t.Fatalf("%s was read, and not what was written of it: %v", line, err)
		}
		for i := range l.Messages {
			was, _ := l.Messages[i].Body.Bytes()
			is, _ := again.Messages[i].Body.Bytes()
			if !bytes.Equal(was, is) {
				t.Errorf("a body of %s has changed from %q to %q", line, was, is)
			}
		}
	})
}
