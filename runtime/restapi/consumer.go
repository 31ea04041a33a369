package restapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"eddy/queues"
)

// productConsumer is a consumer as the product shows it (H-4). wrangler reads script, the SDK script_name. A field
// service would make wrangler ask for its environment as well.
type productConsumer struct {
	ID              string         `json:"consumer_id"`
	Type            string         `json:"type"`
	Script          string         `json:"script,omitempty"`
	ScriptName      string         `json:"script_name,omitempty"`
	Environment     string         `json:"environment,omitempty"`
	Queue           string         `json:"queue_name"`
	DeadLetterQueue string         `json:"dead_letter_queue"`
	Created         time.Time      `json:"created_on"`
	Settings        map[string]any `json:"settings"`
}

func consumerView(c queues.ConsumerInfo) productConsumer {
	v := productConsumer{
		ID: c.ID.String(), Type: c.Config.Type.String(), Script: c.Config.Script, ScriptName: c.Config.Script,
		Queue: c.Config.Queue, DeadLetterQueue: c.Config.DeadLetterQueue, Created: c.Created,
		Settings: map[string]any{
			"batch_size": c.Config.MaxBatchSize, "max_retries": c.Config.MaxRetries,
			"retry_delay": int64(c.Config.RetryDelay / time.Second),
		},
	}
	if c.Config.Type == queues.PullConsumer {
		v.Settings["visibility_timeout_ms"] = c.Config.VisibilityTimeout.Milliseconds()
		return v
	}
	v.Settings["max_wait_time_ms"] = c.Config.MaxBatchTimeout.Milliseconds() // H-5
	v.Settings["max_concurrency"] = nil
	if c.Config.MaxConcurrency > 0 {
		v.Settings["max_concurrency"] = c.Config.MaxConcurrency
	}
	return v
}

// ConsumerChange is the body that makes a consumer (H-4).
type ConsumerChange struct {
	Type            string          `json:"type"`
	ScriptName      string          `json:"script_name"`
	Script          string          `json:"script"`
	Service         string          `json:"service"`
	DeadLetterQueue *string         `json:"dead_letter_queue"`
	Settings        json.RawMessage `json:"settings"`
}

func (b ConsumerChange) script() string {
	for _, s := range []string{b.ScriptName, b.Script, b.Service} {
		if s != "" {
			return s
		}
	}
	return ""
}

// config checks a body against K-1 to K-8 and gives the consumer it describes; what it leaves out is the default.
func (b ConsumerChange) config(queue string) (queues.ConsumerConfig, error) {
	var c queues.ConsumerConfig
	switch b.Type {
	case "worker":
		c = queues.DefaultConsumer(queue, queues.WorkerConsumer)
		if c.Script = b.script(); c.Script == "" {
			return c, Refuse(http.StatusBadRequest, CodeInvalidBody, "a consumer of type worker needs a script_name")
		}
	case "http_pull":
		c = queues.DefaultConsumer(queue, queues.PullConsumer)
	case "":
		return c, Refuse(
			http.StatusBadRequest, CodeInvalidBody,
			"invalid request body: a consumer needs a type, worker or http_pull")
	default:
		return c, Refuse(
			http.StatusBadRequest, CodeInvalidBody,
			"invalid request body: consumers of type %q cannot run locally; expected worker or http_pull", b.Type)
	}
	var in struct {
		BatchSize   *int64 `json:"batch_size"`
		MaxWait     *int64 `json:"max_wait_time_ms"`
		Retries     *int64 `json:"max_retries"`
		RetryDelay  *int64 `json:"retry_delay"`
		Concurrency *int64 `json:"max_concurrency"`
		Visibility  *int64 `json:"visibility_timeout_ms"`
	}
	bad := Refuse(http.StatusBadRequest, CodeConsumerSettings, "The specified consumer settings are invalid.")
	if len(b.Settings) > 0 {
		if err := json.Unmarshal(b.Settings, &in); err != nil {
			bad.Details = []string{shape("settings", err)}
			return c, bad
		}
	}
	bad.Between("batch_size", in.BatchSize, 1, queues.MaxBatchSizeLimit)
	bad.Between("max_wait_time_ms", in.MaxWait, 0, queues.MaxBatchTimeoutLimit.Milliseconds())
	bad.Between("max_retries", in.Retries, 0, queues.MaxRetriesLimit)
	bad.Between("retry_delay", in.RetryDelay, 0, queues.MaxDelaySeconds)
	bad.Between("max_concurrency", in.Concurrency, 1, queues.MaxConcurrencyLimit)
	bad.Between("visibility_timeout_ms", in.Visibility, 0, queues.MaxVisibilityTimeout.Milliseconds())
	if b.DeadLetterQueue != nil {
		if c.DeadLetterQueue = *b.DeadLetterQueue; c.DeadLetterQueue == queue {
			bad.Details = append(bad.Details, "Dead letter queue for queue \""+queue+"\" cannot be itself") // K-17
		} else if c.DeadLetterQueue != "" && CheckName(c.DeadLetterQueue) != nil {
			bad.Details = append(bad.Details, "dead_letter_queue \""+c.DeadLetterQueue+"\" is not a queue name")
		}
	}
	if len(bad.Details) > 0 {
		return c, bad
	}
	set := func(to *int, v *int64) {
		if v != nil {
			*to = int(*v)
		}
	}
	lasting := func(to *time.Duration, v *int64, unit time.Duration) {
		if v != nil {
			*to = time.Duration(*v) * unit
		}
	}
	set(&c.MaxBatchSize, in.BatchSize)
	set(&c.MaxRetries, in.Retries)
	set(&c.MaxConcurrency, in.Concurrency)
	lasting(&c.MaxBatchTimeout, in.MaxWait, time.Millisecond)
	lasting(&c.RetryDelay, in.RetryDelay, time.Second)
	if c.Type == queues.PullConsumer {
		lasting(&c.VisibilityTimeout, in.Visibility, time.Millisecond)
	}
	return c, nil
}

func (a *API) createConsumer(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	return a.setConsumer(r, q, false)
}

func (a *API) setConsumer(r *http.Request, q queues.QueueInfo, replace bool) (any, *resultInfo, error) {
	body, err := Decode[ConsumerChange](r, CodeInvalidBody, CodeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	c, err := a.SetConsumer(r.Context(), q, body, replace)
	if err != nil {
		return nil, nil, err
	}
	return consumerView(c), nil, nil
}

// SetConsumer gives a queue its consumer and connects its code, if it runs here. If the queue has a consumer already,
// that is an error, unless replace is set.
func (a *API) SetConsumer(ctx context.Context, q queues.QueueInfo, body ConsumerChange, replace bool) (
	queues.ConsumerInfo, error) {
	var none queues.ConsumerInfo
	config, err := body.config(q.Name)
	if err != nil {
		return none, err
	}
	if err := a.checkScript(config); err != nil {
		return none, err
	}
	if err := a.checkJurisdiction(ctx, q, config.DeadLetterQueue); err != nil {
		return none, err
	}
	_, err = a.Find(ctx, config.DeadLetterQueue, CodeNoQueue)
	madeNow := config.DeadLetterQueue != "" && err != nil
	c, err := a.o.Broker.SetConsumer(ctx, config, replace)
	if err != nil {
		return none, err
	}
	if madeNow {
		if err := a.inherit(ctx, q, config.DeadLetterQueue); err != nil {
			return none, err
		}
	}
	return c, a.attach(config)
}

// inherit gives a dead letter queue that was made for q its jurisdiction.
func (a *API) inherit(ctx context.Context, q queues.QueueInfo, deadLetterQueue string) error {
	own := ""
	a.side.read(func(s *sideData) { own = s.Jurisdictions[q.ID.String()] })
	if own == "" {
		return nil
	}
	d, err := a.Find(ctx, deadLetterQueue, CodeNoQueue)
	if err != nil {
		return err
	}
	return a.side.change(func(s *sideData) error {
		s.Jurisdictions[d.ID.String()] = own
		return nil
	})
}

// checkJurisdiction refuses a dead letter queue of another jurisdiction (D-24).
func (a *API) checkJurisdiction(ctx context.Context, q queues.QueueInfo, deadLetterQueue string) error {
	if deadLetterQueue == "" {
		return nil
	}
	d, err := a.o.Broker.Queue(ctx, deadLetterQueue)
	var missing *queues.Error
	if errors.As(err, &missing) {
		return nil // it is made, with the jurisdiction of its queue
	}
	if err != nil {
		return err
	}
	var own, other string
	a.side.read(func(s *sideData) { own, other = s.Jurisdictions[q.ID.String()], s.Jurisdictions[d.ID.String()] })
	if own != other {
		bad := Refuse(http.StatusBadRequest, CodeConsumerSettings, "The specified consumer settings are invalid.")
		bad.Details = []string{
			fmt.Sprintf("dead_letter_queue %q is in jurisdiction %q, queue %q in %q; they must share one",
				d.Name, other, q.Name, own)}
		return bad
	}
	return nil
}

// attach connects the code of a consumer that was made while the session runs.
func (a *API) attach(c queues.ConsumerConfig) error {
	if c.Type != queues.WorkerConsumer || a.o.Attach == nil {
		return nil
	}
	return a.o.Attach(c.Script, c.Queue)
}

// checkScript refuses Workers that the session does not run or that have no queue() (H-19).
func (a *API) checkScript(c queues.ConsumerConfig) error {
	if c.Type != queues.WorkerConsumer || a.o.Scripts == nil {
		return nil
	}
	s, err := a.script(c.Script)
	if err != nil {
		return err
	}
	if !s.HasQueue {
		return Refuse(http.StatusBadRequest, CodeNoHandler,
			"Queue handler is missing: Worker %q does not export a queue() function", c.Script)
	}
	return nil
}

func (a *API) listConsumers(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	list := []productConsumer{}
	if q.Consumer != nil {
		list = append(list, consumerView(*q.Consumer))
	}
	part, info := paged(r, list, 100)
	return part, info, nil
}

func (a *API) consumerOf(r *http.Request) (queues.QueueInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return q, err
	}
	if id := r.PathValue("consumer"); q.Consumer == nil || q.Consumer.ID.String() != id {
		return q, Refuse(http.StatusNotFound, CodeNoConsumer, "Queue %q has no consumer %q", q.Name, id)
	}
	return q, nil
}

func (a *API) getConsumer(r *http.Request) (any, *resultInfo, error) {
	q, err := a.consumerOf(r)
	if err != nil {
		return nil, nil, err
	}
	return consumerView(*q.Consumer), nil, nil
}

// putConsumer replaces the queue's consumer, or makes one if it has none.
func (a *API) putConsumer(r *http.Request) (any, *resultInfo, error) {
	q, err := a.consumerOf(r)
	if err != nil && (q.Name == "" || q.Consumer != nil) {
		return nil, nil, err
	}
	return a.setConsumer(r, q, true)
}

func (a *API) deleteConsumer(r *http.Request) (any, *resultInfo, error) {
	q, err := a.consumerOf(r)
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, a.o.Broker.RemoveConsumer(r.Context(), q.Name)
}

func isExists(err error) bool { return errors.Is(err, queues.ErrQueueExists) }
