package replay

import (
	"strings"
	"testing"

	"eddy/runtime/journal"
)

const line = `{"version":1,"kind":"queue","at":"2026-11-20T10:00:02.000000Z","queue":"jobs","messages":[` +
	`{"id":"0000000000000000000000000000000c","timestamp":"2026-11-20T09:59:59.000Z","attempts":1,` +
	`"contentType":"json","body":{"json":{"n":1}}}],"wallMs":0,"cpuMs":0}`

// A line that cannot be used is told by its place, and the lines around it are used.
func TestRead(t *testing.T) {
	for _, c := range []struct{ bad, want string }{
		{line[:len(line)/2], "the line breaks off after 125 characters; it is left out"},
		{strings.Replace(line, `"version":1`, `"version":2`, 1), "version 2; this release reads 1"},
		{strings.Replace(line, `"n":1`, `"n":`, 1), "not a line of a capture"},
		{strings.Replace(line, `"attempts":1`, `"attempts":0`, 1), "message 1: attempts 0: expected 1 or more"},
		{strings.Replace(line, "2026-11-20T09:59:59.000Z", "today", 1), `message 1: timestamp "today"`},
		{strings.Replace(line, `"contentType":"json"`, `"contentType":"xml"`, 1), `message 1: contentType "xml"`},
		{strings.Replace(line, `"queue":"jobs",`, "", 1), "expected queue and messages"},
		{`{"version":1,"kind":"fetch","at":"2026-11-20T10:00:02Z","wallMs":0,"cpuMs":0}`, "expected request"},
		{`{"version":1,"kind":"fetch","at":"2026-11-20T10:00:02Z","request":{"method":"GET","url":"/"}}`,
			"the whole URL"},
		{`{"version":1,"kind":"scheduled","at":"2026-11-20T10:00:02Z","scheduledTime":"1"}`, `scheduledTime "1"`},
	} {
		list, damaged, err := Read("x.replay.jsonl", strings.NewReader(line+"\n\n"+c.bad+"\n"+line))
		if err != nil || len(list) != 2 || len(damaged) != 1 {
			t.Fatalf("%s: %d events, %v, %v", c.bad, len(list), damaged, err)
		}
		if got := damaged[0].Error(); !strings.HasPrefix(got, "x.replay.jsonl:3: ") || !strings.Contains(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.bad, got, c.want)
		}
		if list[0].Number != 1 || list[1].Number != 4 {
			t.Errorf("lines %d and %d, want 1 and 4", list[0].Number, list[1].Number)
		}
	}
}

// Whatever a file has, reading it ends, and what was read can be run and written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(line))
	f.Add([]byte(line[:100] + "\n" + line))
	f.Add([]byte(`{"version":1,"kind":"fetch","at":"2026-11-20T10:00:02Z","request":{"method":"GET","url":"http://a/` +
		`"}}`))
	for _, seed := range []string{
		`"kind":"email","mail":{"from":"a@x","to":"b@x","size":30,"text":{"text":"Message-Id: <1>\r\n\r\nhi"}}`,
		`"kind":"websocket","object":{"namespace":"n","id":"i"},"socket":{"type":"close","code":1006},"parent":"s1"`,
		`"kind":"websocket","object":{"namespace":"n","id":"i"},"socket":{"type":"error"},"parent":"s1","span":"s1"`,
		`"kind":"fetch","span":"s1","request":{"method":"GET","url":"http://a/","status":101},"frames":[` +
			`{"afterMs":1e300,"type":"message","data":{"text":"x"}}]`,
		`"kind":"dead-letter","queue":"q","lane":"l","reason":"retry","messages":[{"id":"` +
			strings.Repeat("a", 32) + `","timestamp":"2026-11-20T10:00:02Z","attempts":1,"contentType":"json",` +
			`"body":{"json":1}}]`,
	} {
		f.Add([]byte(`{"version":1,"at":"2026-11-20T10:00:02Z",` + seed + `}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, damaged, err := Read("x", strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range damaged {
			if bad.Error() == "" {
				t.Error("a line is damaged without a reason")
			}
		}
		plan, err := Choose(list, Choice{Times: 2, Shuffle: true, Duplicate: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		caused(list)
		for _, step := range plan {
			if err := made(step); err != nil {
				t.Errorf("a %s that was read cannot be made: %v", step.Line.Kind, err)
			}
			if _, err := step.Line.Marshal(); err != nil {
				t.Error(err)
			}
		}
	})
}

// made makes what a step sends.
func made(step *Rerun) (err error) {
	l := step.Line
	switch l.Kind {
	case journal.Queue, journal.Lane:
		_, err = batch(l, "")
	case journal.Dead:
		_, err = deadLetter(l, "")
	case journal.Email:
		_, err = mailOf(l)
	case journal.Socket:
		_, err = socketMessage(l.Socket)
	case journal.Fetch:
		_, err = request(l)
	}
	for i := range l.Frames {
		if _, bad := socketMessage(&l.Frames[i].FileSocket); bad != nil {
			err = bad
		}
	}
	lastFrame(step.Recorded)
	return err
}
