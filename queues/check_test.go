package queues_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"flag"

	"eddy/queues"
	"eddy/runtime/clock"
)

var damageRounds = flag.Int("damage.rounds", 6, "rounds in which the log on disk is damaged at random")

// damagedLog writes a log of several segments with a snapshot, ended in order or not, and gives the bodies that it
// holds.
func damagedLog(t *testing.T, r *rand.Rand, dir string) (bodies map[string]bool) {
	t.Helper()
	b, _, err := queues.Open(
		queues.Options{Dir: dir, Clock: clock.Real{}, SegmentBytes: 4 << 10, SnapshotBytes: 1 << 40},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Declare(t.Context(), queues.Topology{Queues: []string{"q"}}); err != nil {
		t.Fatal(err)
	}
	bodies = map[string]bool{}
	for i := range 60 {
		body := fmt.Sprintf("body %d of %x", i, r.Uint64())
		msg := queues.Outgoing{Body: []byte(body), ContentType: queues.ContentText}
		if i%5 == 4 {
			_, err = b.LaneSend(t.Context(), "jobs", "k", msg)
		} else {
			_, err = b.Send(t.Context(), "q", []queues.Outgoing{msg}, queues.SendOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		bodies[body] = true
		if i == 30 {
			if err := b.Snapshot(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return bodies
}

// readAll are the bodies that an open log gives.
func readAll(t *testing.T, b *queues.Broker) (bodies map[string]bool, err error) {
	bodies = map[string]bool{}
	if _, err := b.Queue(t.Context(), "q"); err == nil {
		peeked, err := b.Peek(t.Context(), "q", 1000)
		if err != nil {
			return nil, err
		}
		for _, m := range peeked {
			bodies[string(m.Body)] = true
		}
	}
	if _, msgs, err := b.LaneMessages(t.Context(), "jobs", "k", 1000); err == nil {
		for _, m := range msgs {
			bodies[string(m.Body)] = true
		}
	} else if all, _ := b.LaneQueues(t.Context()); len(all) > 0 && all[0].Messages > 0 {
		return nil, err
	}
	return bodies, nil
}

// Whatever is damaged after an orderly end - a bit, a shorter file, a missing one, the whole folder -, nothing
// acknowledged is lost without a refusal or an error that names it; the check finds it, the repair keeps the files
// aside, loses no more than the check said, and what it leaves opens and reads.
func TestDamageIsTold(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	unharmed, refused, read := 0, 0, 0
	defer func() { t.Logf("%d refused at open, %d at reading, %d harmless", refused, read, unharmed) }()
	for round := range *damageRounds {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		dir := filepath.Join(t.TempDir(), "queues")
		want := damagedLog(t, r, dir)
		if c, err := queues.CheckLog(dir); err != nil || !c.Sound() || len(c.Findings) > 0 || c.Messages != len(want) {
			t.Fatalf("round %d: a sound log: %+v, %v", round, c, err)
		}
		what := damage(t, r, dir)
		lost := func(b *queues.Broker, err error) bool {
			if err != nil {
				refused++
				return true
			}
			defer b.Close()
			got, err := readAll(t, b)
			if err != nil {
				read++
				return true
			}
			unharmed++
			for body := range want {
				if !got[body] {
					t.Fatalf("round %d, %s: %q is gone without a word", round, what, body)
				}
			}
			return false
		}
		c, err := queues.CheckLog(dir)
		if err != nil {
			t.Fatalf("round %d, %s: %v", round, what, err)
		}
		b, _, err := queues.Open(queues.Options{Dir: dir})
		if refused := lost(b, err); refused && c.Sound() {
			t.Fatalf("round %d, %s: refused (%v), but the check finds nothing", round, what, err)
		}
		// The log may have been written to by the broker that opened; what the check saw before holds for one that did
		// not.
		if err == nil {
			continue
		}
		kept, err := c.Repair(dir)
		if err != nil {
			t.Fatalf("round %d, %s: repair: %v", round, what, err)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Fatalf("round %d, %s: kept: %v", round, what, err)
		}
		b, _, err = queues.Open(queues.Options{Dir: dir})
		if err != nil {
			t.Fatalf("round %d, %s: after the repair: %v", round, what, err)
		}
		got, err := readAll(t, b)
		if err != nil || len(got) != c.Messages {
			t.Fatalf(
				"round %d, %s: after the repair %d messages, %v; the check said %d",
				round,
				what,
				len(got),
				err,
				c.Messages,
			)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if c, err := queues.CheckLog(dir); err != nil || !c.Sound() {
			t.Fatalf("round %d, %s: after the repair: %+v, %v", round, what, c, err)
		}
	}
}

// damage does one thing to the files.
func damage(t *testing.T, r *rand.Rand, dir string) (what string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if r.IntN(20) == 0 {
		must(os.RemoveAll(dir))
		return "the folder is gone"
	}
	var files []string
	for _, pattern := range []string{"*.log", "*.snap"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		must(err)
		files = append(files, found...)
	}
	name := files[r.IntN(len(files))]
	data, err := os.ReadFile(name)
	must(err)
	base := filepath.Base(name)
	switch r.IntN(5) {
	case 0:
		must(os.Remove(name))
		return base + " is gone"
	case 3:
		if runtime.GOOS == "windows" {
			break // making a link takes a privilege there
		}
		elsewhere := filepath.Join(t.TempDir(), base)
		must(os.Rename(name, elsewhere))
		must(os.Symlink(elsewhere, name))
		t.Cleanup(func() {
			if after, err := os.ReadFile(elsewhere); err != nil || !bytes.Equal(after, data) {
				t.Errorf("%s was written through a link: %v", base, err)
			}
		})
		return base + " is a link"
	case 1:
		n := r.IntN(len(data))
		must(os.Truncate(name, int64(n)))
		return fmt.Sprintf("%s is cut to %d of %d bytes", base, n, len(data))
	case 2:
		at := r.IntN(len(data))
		clear(data[at:min(at+512, len(data))])
		must(os.WriteFile(name, data, 0o600))
		return fmt.Sprintf("%s has zeros from %d on", base, at)
	}
	at := r.IntN(len(data))
	data[at] ^= 1 << r.IntN(8)
	must(os.WriteFile(name, data, 0o600))
	return fmt.Sprintf("%s has another bit at %d", base, at)
}
