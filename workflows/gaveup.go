package workflows

import (
	"encoding/json"
	"time"
)

// stepConfig is the part of a step's configuration that this package reads. The configuration is JSON and has all
// defaults filled in.
type stepConfig struct {
	Retries struct {
		Limit int
	}
}

// crashDelay is the time between the early end of a life and the next attempt of its steps.
const crashDelay = time.Second

// gaveUp handles a life that ended early for a reason of its own: a limit of CPU time or memory, or a hang. The
// attempts that were running have failed with that reason, and count. If none was running, the instance fails.
func (t *turn) gaveUp(l *Life, why *Failure) {
	in := l.in
	t.drop(l)
	var running []*step
	t.query("SELECT "+stepColumns+" FROM steps WHERE instance=? AND state=?",
		func(r row) { running = append(running, readStep(r)) }, in.seq, int64(attempting))
	if len(running) == 0 {
		t.finish(in, Errored, "", why)
		return
	}
	for _, s := range running {
		var c stepConfig
		if err := json.Unmarshal([]byte(s.config), &c); err == nil && s.attempts <= c.Retries.Limit {
			t.retryIn(in, s, why, crashDelay)
		} else {
			t.failedStep(in, s, why, why)
		}
	}
	t.exec("UPDATE instances SET wake=0 WHERE seq=?", in.seq)
}
