package control

import (
	"net/http"
	"time"

	"eddy/queues"
	"eddy/runtime/restapi"
)

func (a *API) verbQueues(r *http.Request) (any, error) {
	all, err := a.o.Broker.Queues(r.Context())
	views := make([]Queue, 0, len(all))
	for _, q := range all {
		views = append(views, a.view(q))
	}
	return views, err
}

func (a *API) verbQueue(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	return a.view(q), nil
}

// QueueChange is the input of create and update; what is nil keeps its value, or the default.
type QueueChange struct {
	Name             string `json:"name,omitempty"`
	DeliveryDelaySec *int64 `json:"delivery_delay_seconds,omitempty"`
	RetentionSec     *int64 `json:"retention_seconds,omitempty"`
}

func (c QueueChange) apply(s queues.QueueSettings) (queues.QueueSettings, error) {
	bad := restapi.Refuse(http.StatusBadRequest, restapi.CodeQueueSettings, "The specified queue settings are invalid.")
	bad.Between("delivery_delay_seconds", c.DeliveryDelaySec, 0, queues.MaxDelaySeconds)
	bad.Between("retention_seconds", c.RetentionSec, int64(queues.MinRetention/time.Second),
		int64(queues.MaxRetention/time.Second))
	if len(bad.Details) > 0 {
		return s, bad
	}
	if c.DeliveryDelaySec != nil {
		s.DeliveryDelay = time.Duration(*c.DeliveryDelaySec) * time.Second
	}
	if c.RetentionSec != nil {
		s.Retention = time.Duration(*c.RetentionSec) * time.Second
	}
	return s, nil
}

func (a *API) verbCreate(r *http.Request) (any, error) {
	in, err := input[QueueChange](r)
	if err != nil {
		return nil, err
	}
	if err := restapi.CheckName(in.Name); err != nil {
		return nil, err
	}
	settings, err := in.apply(queues.DefaultQueueSettings())
	if err != nil {
		return nil, err
	}
	q, err := a.o.Broker.CreateQueue(r.Context(), in.Name, settings)
	if err != nil {
		return nil, restapi.NameTaken(err, in.Name)
	}
	return a.view(q), nil
}

func (a *API) verbUpdate(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[QueueChange](r)
	if err != nil {
		return nil, err
	}
	q, err = a.rest.ChangeQueue(r.Context(), q.ID, in.Name, in.apply)
	if err != nil {
		return nil, err
	}
	return a.view(q), nil
}

func (a *API) verbDelete(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	return a.view(q), a.rest.RemoveQueue(r.Context(), q, r.URL.Query().Get("force") == "1")
}

// Send is the input of a send.
type Send struct {
	Messages []MessageBody `json:"messages"`
	DelaySec *int64        `json:"delay_seconds,omitempty"`
}

func (a *API) verbSend(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[Send](r)
	if err != nil {
		return nil, err
	}
	if len(in.Messages) == 0 {
		return nil, restapi.Refuse(
			http.StatusBadRequest, restapi.CodeBadMessage, "messages must hold at least one message")
	}
	o := queues.SendOptions{Batch: len(in.Messages) > 1}
	if in.DelaySec != nil {
		if err := restapi.CheckDelay(*in.DelaySec, restapi.CodeBatchDelay); err != nil {
			return nil, err
		}
		o.Delay = queues.DelaySeconds(int32(*in.DelaySec))
	}
	msgs := make([]queues.Outgoing, len(in.Messages))
	for i, m := range in.Messages {
		if msgs[i], err = m.outgoing(); err != nil {
			return nil, err
		}
	}
	if _, err := a.o.Broker.Send(r.Context(), q.Name, msgs, o); err != nil {
		return nil, err
	}
	return Count{len(msgs)}, nil
}

// Count is the answer of verbs that did something to a number of messages.
type Count struct {
	Count int `json:"count"`
}

func (a *API) verbPeek(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(r, "limit", 10)
	if err != nil {
		return nil, err
	}
	msgs, err := a.o.Broker.Peek(r.Context(), q.Name, limit)
	return a.peekViews(msgs), err
}

func (a *API) peekViews(msgs []queues.Peeked) []Message {
	views := make([]Message, 0, len(msgs))
	for _, m := range msgs {
		views = append(views, a.peekView(m))
	}
	return views
}

func (a *API) verbRemove(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[struct {
		Refs []string `json:"refs"`
	}](r)
	if err != nil {
		return nil, err
	}
	n, warnings, err := a.o.Broker.Remove(r.Context(), q.Name, in.Refs)
	return map[string]any{"count": n, "warnings": warnings}, err
}

func (a *API) verbPause(paused bool) verb {
	return func(r *http.Request) (any, error) {
		q, err := a.queue(r)
		if err != nil {
			return nil, err
		}
		if err := a.o.Broker.Pause(r.Context(), q.Name, paused); err != nil {
			return nil, err
		}
		return a.verbQueue(r)
	}
}

func (a *API) verbPurge(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	_, err = a.rest.Purge(r.Context(), q)
	return Count{int(q.Metrics.BacklogCount)}, err
}

func (a *API) verbSetConsumer(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	in, err := input[restapi.ConsumerChange](r)
	if err != nil {
		return nil, err
	}
	if _, err := a.rest.SetConsumer(r.Context(), q, in, r.URL.Query().Get("replace") == "1"); err != nil {
		return nil, err
	}
	return a.verbQueue(r)
}

func (a *API) verbRemoveConsumer(r *http.Request) (any, error) {
	q, err := a.queue(r)
	if err != nil {
		return nil, err
	}
	return nil, a.o.Broker.RemoveConsumer(r.Context(), q.Name)
}
