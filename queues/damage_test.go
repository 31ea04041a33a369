package queues_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"eddy/queues"
	"eddy/queues/logstore"
)

// flip changes one byte of a body where it lies in the log.
func flip(t *testing.T, fs *logstore.MemFS, name string, body string) {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(body))
	if at < 0 {
		t.Fatalf("%q is not in %s", body, name)
	}
	if _, err := f.WriteAt([]byte{body[0] ^ 1}, int64(at)); err != nil {
		t.Fatal(err)
	}
}

// A pull that meets a damaged body is an error that names the damage, and leases nothing; so is a peek. What else there
// is goes on.
func TestPullOfADamagedBody(t *testing.T) {
	fs := logstore.NewMemFS()
	b, _, err := queues.Open(queues.Options{Dir: "log", FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	top := queues.Topology{}
	for _, name := range []string{"q", "other"} {
		top.Consumers = append(top.Consumers, queues.DefaultConsumer(name, queues.PullConsumer))
	}
	if err := b.Declare(t.Context(), top); err != nil {
		t.Fatal(err)
	}
	send := func(queue string, bodies ...string) {
		var msgs []queues.Outgoing
		for _, body := range bodies {
			msgs = append(msgs, queues.Outgoing{Body: []byte(body), ContentType: queues.ContentText})
		}
		if _, err := b.Send(t.Context(), queue, msgs, queues.SendOptions{Batch: true}); err != nil {
			t.Fatal(err)
		}
	}
	send("q", "sound", "damaged", "sound too")
	send("other", "fine")
	flip(t, fs, "log/00000001.log", "damaged")
	for range 2 {
		msgs, _, err := b.Pull(t.Context(), "q", queues.PullOptions{BatchSize: 100})
		var c *logstore.CorruptError
		if !errors.As(err, &c) || c.File != "log/00000001.log" ||
			!strings.Contains(err.Error(), `pull from queue "q"`) ||
			len(msgs) != 0 {
			t.Fatalf("pulled %d messages, %v", len(msgs), err)
		}
		if q, err := b.Queue(t.Context(), "q"); err != nil || q.Ready != 3 || q.InFlight != 0 {
			t.Fatalf("after the pull: %+v, %v", q, err)
		}
	}
	if _, err := b.Peek(t.Context(), "q", 10); err == nil {
		t.Error("a peek shows damage")
	}
	if msgs, _, err := b.Pull(t.Context(), "q", queues.PullOptions{BatchSize: 1}); err != nil || len(msgs) != 1 {
		t.Errorf("what is sound: %v, %v", msgs, err)
	}
	if msgs, _, err := b.Pull(t.Context(), "other", queues.PullOptions{}); err != nil || len(msgs) != 1 {
		t.Errorf("another queue: %v, %v", msgs, err)
	}
}
