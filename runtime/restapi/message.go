package restapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"eddy/queues"
)

// productMessage is one item of a push (H-2, H-6).
type productMessage struct {
	Body        json.RawMessage `json:"body"`
	ContentType string          `json:"content_type"`
	Delay       *int64          `json:"delay_seconds"`
}

// outgoing checks an item and serializes its body: text as it is, json compactly.
func (m productMessage) outgoing() (queues.Outgoing, error) {
	var out queues.Outgoing
	if m.Body == nil {
		return out, Refuse(http.StatusBadRequest, CodeBadMessage, "a message needs a body")
	}
	switch m.ContentType {
	case "", "json":
		out.ContentType = queues.ContentJSON
		var b bytes.Buffer
		if err := json.Compact(&b, m.Body); err != nil {
			return out, Refuse(http.StatusBadRequest, CodeBadMessage, "message body: %v", err)
		}
		out.Body = b.Bytes()
	case "text":
		out.ContentType = queues.ContentText
		var text *string
		if err := json.Unmarshal(m.Body, &text); err != nil || text == nil {
			return out, Refuse(
				http.StatusBadRequest, CodeBadMessage, "a message of content type text needs a string as its body")
		}
		out.Body = []byte(*text)
	default:
		return out, Refuse(
			http.StatusBadRequest, queues.CodeMetadata, "content_type %q: messages sent over HTTP are text or json",
			m.ContentType)
	}
	if m.Delay != nil {
		if err := CheckDelay(*m.Delay, queues.CodeMetadata); err != nil {
			return out, err
		}
		out.Delay = queues.DelaySeconds(int32(*m.Delay))
	}
	return out, nil
}

// CheckDelay refuses a delay that production refuses, with the code given.
func CheckDelay(n int64, code int) error {
	if n < 0 || n > queues.MaxDelaySeconds {
		return Refuse(http.StatusBadRequest, code, "delay_seconds of %d is outside 0 to %d", n, queues.MaxDelaySeconds)
	}
	return nil
}

type sendResult struct {
	Metadata struct {
		Metrics productMetrics `json:"metrics"`
	} `json:"metadata"`
}

func (a *API) push(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, queues.CodeQueueNotFound)
	if err != nil {
		return nil, nil, err
	}
	m, err := Decode[productMessage](r, CodeMalformed, CodeBadMessage)
	if err != nil {
		return nil, nil, err
	}
	out, err := m.outgoing()
	if err != nil {
		return nil, nil, err
	}
	return a.send(r, q.Name, []queues.Outgoing{out}, queues.SendOptions{})
}

func (a *API) bulkPush(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, queues.CodeQueueNotFound)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[struct {
		Messages []productMessage `json:"messages"`
		Delay    *int64           `json:"delay_seconds"`
	}](r, CodeMalformed, CodeBadMessage)
	if err != nil {
		return nil, nil, err
	}
	if len(body.Messages) == 0 {
		return nil, nil, Refuse(http.StatusBadRequest, CodeBadMessage, "messages must hold at least one message")
	}
	o := queues.SendOptions{Batch: true}
	if body.Delay != nil {
		if err := CheckDelay(*body.Delay, CodeBatchDelay); err != nil {
			return nil, nil, err
		}
		o.Delay = queues.DelaySeconds(int32(*body.Delay))
	}
	msgs := make([]queues.Outgoing, len(body.Messages))
	for i, m := range body.Messages {
		if msgs[i], err = m.outgoing(); err != nil {
			return nil, nil, err
		}
	}
	return a.send(r, q.Name, msgs, o)
}

func (a *API) send(r *http.Request, queue string, msgs []queues.Outgoing, o queues.SendOptions) (
	any, *resultInfo, error) {
	m, err := a.o.Broker.Send(r.Context(), queue, msgs, o)
	if err != nil {
		return nil, nil, err
	}
	var res sendResult
	res.Metadata.Metrics = metricsView(m)
	return res, nil, nil
}

// pulledMessage is a pulled message as the product shows it (H-9).
type pulledMessage struct {
	ID        string            `json:"id"`
	Body      string            `json:"body"`
	Attempts  int               `json:"attempts"`
	Timestamp int64             `json:"timestamp_ms"`
	LeaseID   string            `json:"lease_id,omitempty"`
	Ref       string            `json:"ref,omitempty"`
	Metadata  map[string]string `json:"metadata"`
}

func messageView(m queues.Message) pulledMessage {
	return pulledMessage{
		ID: m.ID.String(), Body: wireBody(m), Attempts: m.Attempts, Timestamp: m.Timestamp.UnixMilli(),
		Metadata: map[string]string{"CF-Content-Type": m.ContentType.String()},
	}
}

// wireBody is a body as pullers get it: text plain, the rest in base64 (H-10, X-7).
func wireBody(m queues.Message) string {
	if m.ContentType == queues.ContentText {
		return string(m.Body)
	}
	return base64.StdEncoding.EncodeToString(m.Body)
}

func (a *API) pull(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, queues.CodeQueueNotFound)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[struct {
		BatchSize  *int64 `json:"batch_size"`
		Visibility *int64 `json:"visibility_timeout_ms"`
		Legacy     *int64 `json:"visibility_timeout"` // also milliseconds; wrangler's printed example has it (H-7)
	}](r, CodeMalformed, CodeBadMessage)
	if err != nil {
		return nil, nil, err
	}
	if body.Visibility == nil {
		body.Visibility = body.Legacy
	}
	bad := Refuse(http.StatusBadRequest, CodeBadMessage, "the pull is invalid")
	bad.Between("batch_size", body.BatchSize, 1, queues.MaxBatchSizeLimit)
	bad.Between("visibility_timeout_ms", body.Visibility, 1, queues.MaxVisibilityTimeout.Milliseconds())
	if len(bad.Details) > 0 {
		return nil, nil, bad
	}
	var o queues.PullOptions
	if body.BatchSize != nil {
		o.BatchSize = int(*body.BatchSize)
	}
	if body.Visibility != nil {
		o.VisibilityTimeout = time.Duration(*body.Visibility) * time.Millisecond
	}
	msgs, metrics, err := a.o.Broker.Pull(r.Context(), q.Name, o)
	if err != nil {
		return nil, nil, err
	}
	views := make([]pulledMessage, 0, len(msgs))
	for _, m := range msgs {
		v := messageView(m.Message)
		v.LeaseID = m.LeaseID
		views = append(views, v)
	}
	return map[string]any{
		"message_backlog_count": metrics.BacklogCount, "messages": views,
		"metadata": map[string]any{"metrics": metricsView(metrics)},
	}, nil, nil
}

func (a *API) ack(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, queues.CodeQueueNotFound)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[struct {
		Acks []struct {
			LeaseID string `json:"lease_id"`
		} `json:"acks"`
		Retries []struct {
			LeaseID string `json:"lease_id"`
			Delay   *int64 `json:"delay_seconds"`
		} `json:"retries"`
	}](r, CodeMalformed, CodeBadMessage)
	if err != nil {
		return nil, nil, err
	}
	var acks []string
	for _, x := range body.Acks {
		acks = append(acks, x.LeaseID)
	}
	var retries []queues.LeaseRetry
	for _, x := range body.Retries {
		retry := queues.LeaseRetry{LeaseID: x.LeaseID}
		if x.Delay != nil {
			if err := CheckDelay(*x.Delay, queues.CodeMetadata); err != nil {
				return nil, nil, err
			}
			retry.Delay = queues.DelaySeconds(int32(*x.Delay))
		}
		retries = append(retries, retry)
	}
	res, err := a.o.Broker.Ack(r.Context(), q.Name, acks, retries)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"ackCount": res.Acked, "retryCount": res.Retried, "warnings": res.Warnings}, nil, nil
}

// peek shows messages. It neither leases them nor counts as an attempt (H-16).
func (a *API) peek(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, queues.CodeQueueNotFound)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[struct {
		BatchSize *int64 `json:"batch_size"`
	}](r, CodeMalformed, CodeBadMessage)
	if err != nil {
		return nil, nil, err
	}
	limit := 5
	if body.BatchSize != nil {
		bad := Refuse(http.StatusBadRequest, CodeBadMessage, "the peek is invalid")
		if bad.Between("batch_size", body.BatchSize, 1, queues.MaxBatchSizeLimit); len(bad.Details) > 0 {
			return nil, nil, bad
		}
		limit = int(*body.BatchSize)
	}
	msgs, err := a.o.Broker.Peek(r.Context(), q.Name, limit)
	if err != nil {
		return nil, nil, err
	}
	views := make([]pulledMessage, 0, len(msgs))
	for _, m := range msgs {
		v := messageView(m.Message)
		v.Ref = m.Ref
		views = append(views, v)
	}
	return map[string]any{"message_backlog_count": q.Metrics.BacklogCount, "messages": views}, nil, nil
}

func (a *API) purgeRefs(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, queues.CodeQueueNotFound)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[struct {
		Refs []struct {
			Ref string `json:"ref"`
		} `json:"refs"`
	}](r, CodeMalformed, CodeBadMessage)
	if err != nil {
		return nil, nil, err
	}
	var refs []string
	for _, x := range body.Refs {
		refs = append(refs, x.Ref)
	}
	_, warnings, err := a.o.Broker.Remove(r.Context(), q.Name, refs)
	if err != nil {
		return nil, nil, err
	}
	return map[string]any{"errors": []any{}, "warnings": warnings}, nil, nil
}

// startPurge deletes everything at once (D-18); the answer serves the SDK, which expects a queue, and wrangler, which
// expects the purge.
func (a *API) startPurge(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[struct {
		Permanently bool `json:"delete_messages_permanently"`
	}](r, CodeInvalidBody, CodeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	if !body.Permanently {
		return nil, nil,
			Refuse(http.StatusBadRequest, CodeInvalidBody,
				"delete_messages_permanently must be true: a purge cannot be undone")
	}
	at, err := a.Purge(r.Context(), q)
	if err != nil {
		return nil, nil, err
	}
	return struct {
		productQueue
		StartedAt time.Time `json:"started_at"`
		Complete  bool      `json:"complete"`
	}{a.queueView(q), at, true}, nil, nil
}

// Purge deletes all messages of a queue, and notes when.
func (a *API) Purge(ctx context.Context, q queues.QueueInfo) (time.Time, error) {
	at := a.o.Broker.Now()
	if _, err := a.o.Broker.Purge(ctx, q.Name); err != nil {
		return at, err
	}
	return at, a.side.change(func(d *sideData) error {
		if d.Purges == nil {
			d.Purges = map[string]time.Time{}
		}
		d.Purges[q.ID.String()] = at
		return nil
	})
}

func (a *API) purgeStatus(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	status := map[string]any{}
	a.side.read(func(d *sideData) {
		if at, ok := d.Purges[q.ID.String()]; ok {
			status["started_at"], status["completed"] = at, "true"
		}
	})
	return status, nil, nil
}
