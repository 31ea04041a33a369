package objectstore

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A call that only reads is made again if its node is lost in the middle of the answer. One that may have changed
// something is not, and an answer that is too large is none that could be better.
func TestWhole(t *testing.T) {
	cut := func() io.Reader { return io.MultiReader(strings.NewReader("ha"), iotest.ErrReader(ErrDisconnected)) }
	whole := func() io.Reader { return strings.NewReader("half") }
	for _, c := range []struct {
		name    string
		reads   bool
		answers []io.Reader
		most    int64
		want    string
		err     string
	}{
		{"reads", true, []io.Reader{cut(), cut(), whole()}, 4, "half", ""},
		{"writes", false, []io.Reader{cut()}, 4, "", ErrDisconnected.Error()},
		{"large", true, []io.Reader{whole()}, 3, "", "an answer of 4 bytes, but 3 are the most"},
		{"none", true, []io.Reader{nil}, 3, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			way := Way(func(a Ask) (Told, error) {
				told := Told{Head: []byte(`{}`), Size: 4}
				if asked == 0 {
					told.Head = []byte(`{"Was":1}`)
				}
				if body := c.answers[asked]; body != nil {
					told.Body = io.NopCloser(body)
				}
				asked++
				return told, nil
			})
			var head struct{ Was int }
			got, err := Whole(way, "ask", nil, c.reads, &head, c.most)
			if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("%q, %v", got, err)
			}
			if errors.Is(err, ErrDisconnected) != (c.name == "writes") {
				t.Errorf("%v", err)
			}
			if first := len(c.answers) == 1; asked != len(c.answers) || (head.Was == 1) != first {
				t.Errorf("asked %d times, the head is %v", asked, head)
			}
		})
	}
}
