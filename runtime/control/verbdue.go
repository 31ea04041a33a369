package control

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"eddy/runtime/restapi"
)

// Due is something that falls due: a delivery (delay, retry, lane), the end of a pull lease (lease) or of a retention
// period (retention), an alarm of an object (alarm), a cron (cron), or a workflow's instance that wakes (workflow).
type Due struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	// Queue, Lane and Message are set for those of queues, Namespace, ID and Name for alarms, Worker and Cron for
	// crons,
	// Workflow and ID for workflows.
	Queue     string `json:"queue,omitempty"`
	Lane      string `json:"lane,omitempty"`
	Message   string `json:"message,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Worker    string `json:"worker,omitempty"`
	Cron      string `json:"cron,omitempty"`
	Workflow  string `json:"workflow,omitempty"`
}

// CronEntry is a cron of a Worker; Fires says whether it comes by itself, Next is when it is due.
type CronEntry struct {
	Worker string     `json:"worker"`
	Cron   string     `json:"cron"`
	Fires  bool       `json:"fires"`
	Next   *time.Time `json:"next,omitempty"`
}

// Calendar is what falls due in a running session beside queues and alarms. Any goroutine.
type Calendar interface {
	// Crons lists the crons of all Workers.
	Crons() []CronEntry
	// RunCron runs the scheduled() handler of a Worker for a cron now.
	RunCron(ctx context.Context, worker, cron string) error
	// Wakes lists when instances of workflows wake next, at most limit.
	Wakes(ctx context.Context, limit int) ([]Due, error)
}

// verbDue is GET /due?limit=.
func (a *API) verbDue(r *http.Request) (any, error) {
	limit, err := intParam(r, "limit", 100)
	if err != nil {
		return nil, err
	}
	limit = min(limit, maxFound)
	list := []Due{}
	inQueues, err := a.o.Broker.Due(r.Context(), limit)
	if err != nil {
		return nil, err
	}
	for _, d := range inQueues {
		id := d.ID.String()
		if d.Lane != "" {
			id = d.ID.UUID()
		}
		list = append(list, Due{At: d.At, Kind: string(d.Kind), Queue: d.Queue, Lane: d.Lane, Message: id})
	}
	if a.o.Objects != nil {
		alarms, err := a.verbAlarms(r)
		if err != nil {
			return nil, err
		}
		for _, x := range alarms.([]Alarm) {
			list = append(list, Due{At: x.At, Kind: "alarm", Namespace: x.Namespace, ID: x.ID, Name: x.Name})
		}
	}
	if a.o.Calendar != nil {
		for _, c := range a.o.Calendar.Crons() {
			if c.Fires && c.Next != nil {
				list = append(list, Due{At: *c.Next, Kind: "cron", Worker: c.Worker, Cron: c.Cron})
			}
		}
		wakes, err := a.o.Calendar.Wakes(r.Context(), limit)
		if err != nil {
			return nil, err
		}
		list = append(list, wakes...)
	}
	slices.SortStableFunc(list, func(x, y Due) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.Kind, y.Kind)) })
	return list[:min(len(list), limit)], nil
}

// verbCrons is GET /crons.
func (a *API) verbCrons(*http.Request) (any, error) {
	if a.o.Calendar == nil {
		return []CronEntry{}, nil
	}
	return append([]CronEntry{}, a.o.Calendar.Crons()...), nil
}

// CronRun is the input of running a cron.
type CronRun struct {
	Worker string `json:"worker"`
	Cron   string `json:"cron"`
}

// verbRunCron is POST /crons/run.
func (a *API) verbRunCron(r *http.Request) (any, error) {
	in, err := input[CronRun](r)
	if err != nil {
		return nil, err
	}
	if a.o.Calendar == nil {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "no session runs on this state")
	}
	if !slices.ContainsFunc(a.o.Calendar.Crons(), func(c CronEntry) bool {
		return c.Worker == in.Worker && c.Cron == in.Cron
	}) {
		return nil, restapi.Refuse(http.StatusNotFound, restapi.CodeInvalidBody, "no Worker %q has a cron %q",
			in.Worker, in.Cron)
	}
	if err := a.o.Calendar.RunCron(r.Context(), in.Worker, in.Cron); err != nil {
		return nil, restapi.Refuse(http.StatusConflict, restapi.CodeInvalidBody, "%s of %s failed: %v", in.Cron,
			in.Worker, err)
	}
	return nil, nil
}

// Deliver is the input of delivering now: the refs of messages, all of the queue without any.
type Deliver struct {
	Refs []string `json:"refs,omitempty"`
}

func (a *API) verbDeliver(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[Deliver](r)
	if err != nil {
		return nil, err
	}
	n, err := a.o.Broker.Deliver(r.Context(), q.Name, in.Refs)
	return Count{n}, noMessage(err)
}

// LaneKey names a lane of a queue.
type LaneKey struct {
	Key string `json:"key"`
}

func (a *API) verbLaneDeliver(r *http.Request) (any, error) {
	in, err := input[LaneKey](r)
	if err != nil {
		return nil, err
	}
	return nil, noMessage(a.o.Broker.LaneDeliver(r.Context(), r.PathValue("queue"), in.Key))
}

// Due lists what falls due next, at most limit.
func (c *Client) Due(ctx context.Context, limit int) ([]Due, error) {
	return do[[]Due](ctx, c, "GET", "/due?limit="+strconv.Itoa(limit), nil)
}

// Crons lists the crons of the session's Workers.
func (c *Client) Crons(ctx context.Context) ([]CronEntry, error) {
	return do[[]CronEntry](ctx, c, "GET", "/crons", nil)
}

// RunCron runs a cron now.
func (c *Client) RunCron(ctx context.Context, worker, cron string) error {
	_, err := do[nothing](ctx, c, "POST", "/crons/run", CronRun{worker, cron})
	return err
}

// Deliver ends the delays of messages, all of the queue without refs, and returns how many had one.
func (c *Client) Deliver(ctx context.Context, queue string, refs []string) (Count, error) {
	return do[Count](ctx, c, "POST", queuePath(queue, "/deliver"), Deliver{refs})
}

// LaneDeliver ends the back-off of a lane.
func (c *Client) LaneDeliver(ctx context.Context, queue, key string) error {
	_, err := do[nothing](ctx, c, "POST", lanePath(queue, "/deliver"), LaneKey{key})
	return err
}
