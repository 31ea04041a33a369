package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Health is what a server says of itself, and what follows from it for whoever keeps a cluster there.
type Health struct {
	// Version is the server's, as it says it: "15.18 (Debian …)".
	Version string `json:"version"`
	// Number is the version as PostgreSQL counts: 150018.
	Number int `json:"versionNumber"`
	// Fsync, FullPageWrites: without them a crash of the machine damages the database.
	Fsync          bool `json:"fsync"`
	FullPageWrites bool `json:"fullPageWrites"`
	// SynchronousCommit is that of this session.
	SynchronousCommit string `json:"synchronousCommit"`
	// StandbyNames is synchronous_standby_names.
	StandbyNames string `json:"synchronousStandbyNames"`
	// Standbys is how many synchronous standbys are connected.
	Standbys int `json:"synchronousStandbys"`
	// Hidden says that the role may not see whether standbys are connected.
	Hidden bool `json:"standbysHidden,omitempty"`
	// RoundTrip is the median time of a commit, 0 if there is no cluster yet.
	RoundTrip time.Duration `json:"-"`
	// RoundTripMS is the same in milliseconds.
	RoundTripMS float64 `json:"commitMilliseconds"`
}

// oldest is the oldest version that is served.
const oldest = 140000

// Examine asks the server what it is.
func (e *Engine) Examine(ctx context.Context) (Health, error) {
	var h Health
	var seen, hidden int
	err := e.data.QueryRow(ctx, `select current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('fsync')::bool, current_setting('full_page_writes')::bool,
		current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
		(select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')),
		(select count(*) from pg_stat_replication where sync_state is null)`).Scan(&h.Version, &h.Number, &h.Fsync,
		&h.FullPageWrites, &h.SynchronousCommit, &h.StandbyNames, &seen, &hidden)
	h.Standbys, h.Hidden = seen, seen == 0 && hidden > 0
	return h, err
}

// Probe measures a commit. It needs a cluster.
func (e *Engine) Probe(ctx context.Context, h *Health) error {
	var took []time.Duration
	for range 7 {
		began := time.Now()
		if _, err := e.data.Exec(ctx, "update eddy_cluster set probed = probed + 1"); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	h.RoundTrip = took[len(took)/2]
	h.RoundTripMS = float64(h.RoundTrip.Microseconds()) / 1000
	return nil
}

// Refusal says why a server cannot keep a cluster, with what to do; empty if it can.
func (h Health) Refusal() string {
	switch {
	case h.Number < oldest:
		return fmt.Sprintf("PostgreSQL %s is too old: a cluster needs 14 or newer", h.Version)
	case !h.Fsync:
		return "fsync is off: the server answers before anything is on its disk, and a power failure takes what was " +
			"acknowledged with it. Set fsync = on in postgresql.conf and restart the server"
	case !h.FullPageWrites:
		return "full_page_writes is off: a power failure in the middle of a write damages the database. " +
			"Set full_page_writes = on in postgresql.conf and reload it"
	case h.SynchronousCommit != "on" && h.SynchronousCommit != "remote_apply":
		return fmt.Sprintf("synchronous_commit is %s in this session, but eddy asks for on: something between eddy "+
			"and the server (a pooler) drops the settings of the session. Connect to the server itself",
			h.SynchronousCommit)
	}
	return ""
}

// Safety is one sentence on what the loss of the server's machine would cost.
func (h Health) Safety() string {
	switch {
	case h.Standbys == 1:
		return "1 synchronous standby"
	case h.Standbys > 1:
		return fmt.Sprintf("%d synchronous standbys", h.Standbys)
	case strings.TrimSpace(h.StandbyNames) != "" && h.Hidden:
		return "a synchronous standby is demanded; this role may not see whether one is connected " +
			"(grant pg_read_all_stats)"
	case strings.TrimSpace(h.StandbyNames) != "":
		return "a synchronous standby is demanded, but none is connected: every write waits for it"
	}
	return "no synchronous standby: the loss of its machine loses data"
}

// Short is the version without what the packager has added.
func (h Health) Short() string {
	short, _, _ := strings.Cut(h.Version, " ")
	return short
}
