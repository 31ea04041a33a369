package journal

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// What is hidden is in no field of an entry, in none of the forms that JSON and URLs give it, and the caller's bytes
// stay.
func TestRedact(t *testing.T) {
	var r Redactor
	const secret = `p"ss wörd/€`
	r.Hide(secret, "abc")
	forms := `p"ss wörd/€ p\"ss wörd/€ p%22ss+w%C3%B6rd%2F%E2%82%AC p%22ss%20w%C3%B6rd%2F%E2%82%AC abc`
	body := []byte(forms)
	header := http.Header{"X-Of": {forms}, "Authorization": {"Bearer x"}, "Plain": {"y"}}
	e := &Entry{Logs: []Log{{Message: forms}}, Exceptions: []Exception{{Message: forms, Stack: forms}},
		Request:  &Request{URL: forms, CF: forms, Header: header},
		Delivery: &Delivery{Error: forms, Messages: []Message{{Body: body}}},
		Sent:     []Sent{{Error: forms, Messages: []Message{{Body: body}}}},
		Outgoing: []Subrequest{{URL: forms, Error: forms, Header: header, AnswerHeader: header, Body: body,
			Answer: body}},
		Object: &Object{Name: forms}}
	r.Redact(e)
	b, err := appendFrame(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range strings.SplitN(forms, "€", 2) {
		if strings.Contains(string(b), form) {
			t.Errorf("the entry still has %q", form)
		}
	}
	if strings.Contains(string(b), "%E2%82%AC") || strings.Contains(string(b), "Bearer") {
		t.Errorf("the entry still has a part of the secret")
	}
	if !strings.Contains(string(b), "abc") {
		t.Error("a value of three letters was hidden: it would be found everywhere")
	}
	if string(body) != forms || header.Get("X-Of") != forms || header.Get("Authorization") != "Bearer x" {
		t.Error("the caller's own bytes were changed")
	}
	if got := e.Delivery.Messages[0].Body; len(got) != len(body) {
		t.Errorf("the body has %d bytes, it had %d", len(got), len(body))
	}
	if got := e.Request.Header; !reflect.DeepEqual(got["Plain"], []string{"y"}) ||
		got.Get("Authorization") != "REDACTED" {
		t.Errorf("headers are %v", got)
	}
}

// A secret in any one field of an entry is hidden, whatever the field is.
func TestRedactEveryField(t *testing.T) {
	const secret = "sup3rsecret"
	var r Redactor
	r.Hide(secret)
	fields := 0
	for place := 0; ; place++ {
		var e Entry
		n := 0
		set(reflect.ValueOf(&e).Elem(), &n)
		left := place
		name, found := plant(reflect.ValueOf(&e).Elem(), "Entry", secret, &left)
		if !found {
			break
		}
		fields++
		r.Redact(&e)
		b, err := appendFrame(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("the secret in %s is in the journal", name)
		}
	}
	if fields < 50 {
		t.Errorf("%d fields were tried", fields)
	}
}

// plant puts a secret into one text or one list of bytes of a value: that before which there are so many others.
func plant(v reflect.Value, name, secret string, left *int) (string, bool) {
	switch {
	case !v.CanSet():
		return "", false
	case v.Kind() == reflect.String || v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		if *left--; *left >= 0 {
			return "", false
		}
		text := "before " + secret + " after"
		if v.Kind() == reflect.String {
			v.SetString(text)
		} else {
			v.SetBytes([]byte(text))
		}
		return name, true
	case v.Kind() == reflect.Pointer:
		return plant(v.Elem(), name, secret, left)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if at, ok := plant(v.Field(i), name+"."+v.Type().Field(i).Name, secret, left); ok {
				return at, ok
			}
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if at, ok := plant(v.Index(i), name, secret, left); ok {
				return at, ok
			}
		}
	case v.Kind() == reflect.Map:
		for i, h := range []http.Header{{"before " + secret: {"x"}}, {"X": {"y", "before " + secret}}} {
			if *left--; *left < 0 {
				v.Set(reflect.ValueOf(h))
				return name + []string{" (name)", " (value)"}[i], true
			}
		}
	}
	return "", false
}

// A path hides a value wherever JSON has it, and a body that cannot be followed is hidden wholly.
func TestRules(t *testing.T) {
	rules, err := ParseRules([]string{"user.password", "$.cards.number", "**.token", "a.*.b", "header:X-Session"})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"user":{"password":"p","name":"n"}}`:                `{"user":{"password":"REDACTED","name":"n"}}`,
		`{ "user" : { "password" : { "x": [1] } } , "z": 1 }`: `{ "user" : { "password" : "REDACTED" } , "z": 1 }`,
		`{"password":"p"}`:                                    `{"password":"p"}`,
		`{"cards":[{"number":1},{"number":2,"k":0}]}`: `{"cards":[{"number":"REDACTED"},{"number":"REDACTED",` +
			`"k":0}]}`,
		`["x",{"deep":[{"token":"t"}]},{"token":null}]`: `["x",{"deep":[{"token":"REDACTED"}]},{"token":"REDACTED"}]`,
		`{"a":{"any":{"b":1},"b":2}}`:                   `{"a":{"any":{"b":"REDACTED"},"b":2}}`,
		`{"user":{"password":"p`:                        `"REDACTED"`,
		"\xff\x0fo\"\x05token":                          `"REDACTED"`,
		"plain token":                                   "plain token",
		"":                                              "",
	} {
		if got := string(rules.body([]byte(body))); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
	var r Redactor
	r.Follow(rules)
	body := []byte(`{"token":1}`)
	e := &Entry{Request: &Request{Header: http.Header{"X-Session": {"s"}, "X-Other": {"o"}}, Body: body},
		Delivery: &Delivery{Messages: []Message{{Body: body}}}, Sent: []Sent{{Messages: []Message{{Body: body}}}},
		Logs: []Log{{Message: `["user",{"user":{"password":"p"}}]`}}, RPCArguments: `[{"token":1}]`}
	messages := e.Delivery.Messages
	r.Redact(e)
	if h := e.Request.Header; h.Get("X-Session") != "REDACTED" || h.Get("X-Other") != "o" {
		t.Errorf("headers are %v", h)
	}
	const hid = `{"token":"REDACTED"}`
	if string(e.Request.Body) != hid || string(e.Delivery.Messages[0].Body) != hid ||
		string(e.Sent[0].Messages[0].Body) != hid || e.RPCArguments != "["+hid+"]" ||
		e.Logs[0].Message != `["user",{"user":{"password":"REDACTED"}}]` {
		t.Errorf("the entry has %+v", e)
	}
	if string(messages[0].Body) != `{"token":1}` {
		t.Error("the caller's own messages were changed")
	}
	for _, bad := range []string{"", "header:", "a..b", "**"} {
		if _, err := ParseRules([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// The names of headers that are hidden are the same in every case of letters.
func TestSecretNames(t *testing.T) {
	for _, name := range []string{"Cookie", "SET-COOKIE", "Authorization", "X-Api-Key", "jwt", "X-Tokens", "Accept",
		"Set-Cookies", "", strings.Repeat("Long-", 20) + "Secret", strings.Repeat("Long-", 20), "Ä-Key"} {
		if got, want := secretName(name), SecretHeader(strings.ToLower(name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name := range usual {
		if SecretHeader(strings.ToLower(name)) || name != http.CanonicalHeaderKey(name) {
			t.Errorf("%s is not a plain header in its canonical form", name)
		}
	}
}
