package queues

import (
	"context"
	"testing"

	"eddy/queues/logstore"
	"eddy/runtime/clock"
)

// logOf puts a log into memory: the first segment, a snapshot and the mark; what is nil is not there.
func logOf(t testing.TB, segment, snapshot, mark []byte) *logstore.MemFS {
	t.Helper()
	fs := logstore.NewMemFS()
	for name, data := range map[string][]byte{
		"log/00000001.log": segment, "log/00000001.snap": snapshot, logstore.MarkFile("log"): mark,
	} {
		if data == nil {
			continue
		}
		file, err := fs.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
	}
	return fs
}

// FuzzLog: a folder with any bytes in the place of a log's files is opened or refused. What opens can be read and
// written to, and opens again.
func FuzzLog(f *testing.F) {
	fs := logstore.NewMemFS()
	b, _, err := Open(Options{Dir: "log", FS: fs, Clock: clock.NewVirtual(fromMillis(1), 1)})
	if err != nil {
		f.Fatal(err)
	}
	if err := b.Declare(f.Context(), Topology{Queues: []string{"q"}}); err != nil {
		f.Fatal(err)
	}
	send := func(b *Broker) error {
		_, err := b.Send(context.Background(), "q", []Outgoing{{Body: []byte("body"), ContentType: ContentText}},
			SendOptions{})
		return err
	}
	if err := send(b); err != nil {
		f.Fatal(err)
	}
	if err := b.Close(); err != nil {
		f.Fatal(err)
	}
	read := func(name string) []byte {
		file, err := fs.Open(name)
		if err != nil {
			f.Fatal(err)
		}
		size, err := file.Size()
		if err != nil {
			f.Fatal(err)
		}
		data := make([]byte, size)
		if _, err := file.ReadAt(data, 0); err != nil {
			f.Fatal(err)
		}
		return data
	}
	segment, mark := read("log/00000001.log"), read(logstore.MarkFile("log"))
	f.Add(segment, []byte(nil), mark)
	f.Add(segment, []byte("snapshot"), mark)
	f.Add(segment[:len(segment)-5], []byte(nil), mark)
	f.Add([]byte(nil), []byte(nil), mark)
	f.Add(append(segment, 0, 0, 0), []byte(nil), []byte(nil))
	f.Fuzz(func(t *testing.T, segment, snapshot, mark []byte) {
		if len(snapshot) == 0 {
			snapshot = nil
		}
		if len(mark) == 0 {
			mark = nil
		}
		fs := logOf(t, segment, snapshot, mark)
		for round := range 2 {
			b, _, err := Open(Options{Dir: "log", FS: fs, Clock: clock.NewVirtual(fromMillis(1), 1)})
			if err != nil {
				if round == 1 {
					t.Fatalf("a log that opened does not open again: %v", err)
				}
				return
			}
			if err := b.Declare(t.Context(), Topology{Queues: []string{"q"}}); err != nil {
				t.Fatal(err)
			}
			if err := send(b); err != nil {
				t.Fatal(err)
			}
			all, err := b.Queues(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range all {
				_, _ = b.Peek(t.Context(), q.Name, 10) // a body that does not read is an error
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzToken: what a client sends as a lease or a ref is one that was issued, or refused.
func FuzzToken(f *testing.F) {
	f.Add(token{1, 2, 3}.String())
	f.Add(token{^uint64(0), 0, 1}.String())
	f.Add("AAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		tok, err := parseToken(text)
		if err != nil {
			return
		}
		if again, err := parseToken(tok.String()); err != nil || again != tok {
			t.Fatalf("%q is %v, and written again %v (%v)", text, tok, again, err)
		}
	})
}
