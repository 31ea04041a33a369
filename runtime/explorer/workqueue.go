package explorer

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// WorkQueue is an open Go work queue (eddy/queues/workqueue), as operators see it: `eddy work` has the same verbs.
type WorkQueue interface {
	// Topics lists the topics that have jobs.
	Topics(ctx context.Context) ([]TopicRow, error)
	// Jobs lists jobs of a topic in the order of their delivery, at most limit.
	Jobs(ctx context.Context, topic string, limit int) ([]JobRow, error)
	// Dead lists dead jobs that failed in a topic, or in any if that is "", at most limit.
	Dead(ctx context.Context, topic string, limit int) ([]JobRow, error)
	// Requeue puts dead jobs back where they failed: those with the ids, or all of the topic if there are none.
	Requeue(ctx context.Context, topic string, ids []string) (int, error)
	// Drain removes the jobs of a topic that no worker has.
	Drain(ctx context.Context, topic string) (int, error)
	Close(ctx context.Context) error
}

// TopicRow is a topic of a work queue that has jobs.
type TopicRow struct {
	Topic string `json:"topic"`
	// Ready jobs wait for a worker, Delayed ones for their time, Claimed ones are with a worker.
	Ready   int64     `json:"ready"`
	Delayed int64     `json:"delayed"`
	Claimed int64     `json:"claimed"`
	Oldest  time.Time `json:"oldest"`
}

// JobRow is a job of a work queue.
type JobRow struct {
	ID       string    `json:"id"`
	Topic    string    `json:"topic"`
	State    string    `json:"state"`
	Priority int       `json:"priority"`
	Attempt  int       `json:"attempt"`
	Enqueued time.Time `json:"enqueued"`
	// Due is when a delayed job becomes ready, or a claimed one again.
	Due time.Time `json:"due"`
	// Origin is the topic in which a dead job failed, Error why.
	Origin  string `json:"origin,omitempty"`
	Error   string `json:"error,omitempty"`
	Payload string `json:"payload,omitempty"`
	// Bytes is a payload that is not text.
	Bytes []byte `json:"bytes,omitempty"`
}

// WorkPage is the model of a work queue, or of one topic of it.
type WorkPage struct {
	// Topic is the one that is shown, "" for none.
	Topic  string     `json:"topic,omitempty"`
	Topics []TopicRow `json:"topics"`
	Jobs   []JobRow   `json:"jobs"`
	// Dead are those that failed for good in the topic, or in all.
	Dead []JobRow `json:"dead"`
	// More says that there are more jobs than are shown, MoreDead more dead ones.
	More     bool `json:"more,omitempty"`
	MoreDead bool `json:"more_dead,omitempty"`
}

func (x *Server) workPages() []page {
	return []page{
		of("work", "work", "The Go work queue that --work-dsn names: its topics and what failed in them.", x.work),
		of("work/{topic}", "work", "One topic of the work queue: its jobs and what failed in it.", x.work),
	}
}

// worked opens the work queue, and closes it again.
func (x *Server) worked(ctx context.Context, do func(q WorkQueue) error) error {
	if x.o.Work == nil {
		return missing("this session knows of no work queue: start it with --work-dsn, or with EDDY_WORK_DSN set")
	}
	q, err := x.o.Work(ctx)
	if err != nil {
		return &failure{status: http.StatusBadGateway, text: "the work queue cannot be opened", details: []string{
			err.Error()}}
	}
	return errors.Join(do(q), q.Close(ctx))
}

func (x *Server) work(r *http.Request) (*WorkPage, error) {
	p := &WorkPage{Topic: r.PathValue("topic"), Jobs: []JobRow{}}
	err := x.worked(r.Context(), func(q WorkQueue) (err error) {
		if p.Topics, err = q.Topics(r.Context()); err != nil {
			return err
		}
		if p.Dead, err = q.Dead(r.Context(), p.Topic, pageOfStored+1); err != nil {
			return err
		}
		if p.Topic == "" {
			return nil
		}
		p.Jobs, err = q.Jobs(r.Context(), p.Topic, pageOfStored+1)
		return err
	})
	if p.More = len(p.Jobs) > pageOfStored; p.More {
		p.Jobs = p.Jobs[:pageOfStored]
	}
	if p.MoreDead = len(p.Dead) > pageOfStored; p.MoreDead {
		p.Dead = p.Dead[:pageOfStored]
	}
	return p, err
}

// IsText tells whether a payload is shown as text.
func (j JobRow) IsText() bool { return j.Bytes == nil }

// Path is the page of the topic.
func (t TopicRow) Path() string { return Base + "work/" + url.PathEscape(t.Topic) }

func (x *Server) workActs() []act {
	return []act{
		{path: "work/{topic}/requeue", about: "Puts dead jobs back into the topic in which they failed, with all " +
			"their retries.", fields: []field{{"ids", "of the jobs, repeatable"}, {"all", "all that failed there"}},
			do: x.requeue},
		{path: "work/{topic}/drain", about: "Removes the jobs of a topic that no worker has.",
			do: func(in input) (said, to string, err error) {
				err = x.worked(in.ctx, func(q WorkQueue) error {
					n, err := q.Drain(in.ctx, in.path("topic"))
					said = "removed " + many(n, "job")
					return err
				})
				return said, "", err
			}},
	}
}

func (x *Server) requeue(in input) (said, to string, err error) {
	ids := slices.Clone(in.values["ids"])
	switch {
	case in.has("all"):
		ids = nil
	case len(ids) == 0:
		return "", "", refused("nothing was ticked: tick jobs, or take all")
	}
	err = x.worked(in.ctx, func(q WorkQueue) error {
		n, err := q.Requeue(in.ctx, in.path("topic"), ids)
		said = "put back " + many(n, "job")
		return err
	})
	return said, "", err
}
