package control

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"eddy/runtime/restapi"
	"eddy/runtime/running"
)

// Pulled is a message that a puller has leased.
type Pulled struct {
	ID          string    `json:"id"`
	LeaseID     string    `json:"lease_id"`
	Attempts    int       `json:"attempts"`
	Timestamp   time.Time `json:"timestamp"`
	ContentType string    `json:"content_type"`
	// Body is the text of a message of type text or json, and bytes otherwise.
	Body []byte `json:"body"`
}

// Product sends a request to Cloudflare's REST API, which has the pulls and the workflows.
func Product[T any](ctx context.Context, c *Client, method, path string, in any) (out T, err error) {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return out, err
		}
		body = bytes.NewReader(b)
	}
	res, err := c.Do(ctx, method, restapi.Prefix+"/accounts/local"+path, http.Header{
		"Content-Type": {"application/json"}, "Authorization": {"Bearer local"},
	}, body)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	var answer struct {
		Success bool `json:"success"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
		Result *T `json:"result"`
	}
	answer.Result = &out
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return out, fmt.Errorf("the session answered %s, which is not an answer of the API", res.Status)
	}
	if answer.Success {
		return out, nil
	}
	refusal := &running.Refusal{Status: res.StatusCode}
	for i, e := range answer.Errors {
		if i == 0 {
			refusal.Message = e.Message
		} else {
			refusal.Details = append(refusal.Details, e.Message)
		}
	}
	return out, refusal
}

// Pull leases messages of a queue that is consumed over HTTP. 0 leaves size and visibility timeout to the queue.
func (c *Client) Pull(ctx context.Context, queue string, size int, visibility time.Duration) ([]Pulled, error) {
	q, err := c.Queue(ctx, queue)
	if err != nil {
		return nil, err
	}
	in := map[string]int64{}
	if size > 0 {
		in["batch_size"] = int64(size)
	}
	if visibility > 0 {
		in["visibility_timeout_ms"] = visibility.Milliseconds()
	}
	out, err := Product[struct {
		Messages []struct {
			ID        string            `json:"id"`
			Body      string            `json:"body"`
			Attempts  int               `json:"attempts"`
			Timestamp int64             `json:"timestamp_ms"`
			LeaseID   string            `json:"lease_id"`
			Metadata  map[string]string `json:"metadata"`
		} `json:"messages"`
	}](ctx, c, http.MethodPost, "/queues/"+q.ID+"/messages/pull", in)
	if err != nil {
		return nil, err
	}
	list := make([]Pulled, len(out.Messages))
	for i, m := range out.Messages {
		p := Pulled{ID: m.ID, LeaseID: m.LeaseID, Attempts: m.Attempts, Timestamp: time.UnixMilli(m.Timestamp).UTC(),
			ContentType: m.Metadata["CF-Content-Type"]}
		if p.Body = []byte(m.Body); p.ContentType != "text" {
			if p.Body, err = base64.StdEncoding.DecodeString(m.Body); err != nil {
				return nil, fmt.Errorf("message %s: its body is not base64", m.ID)
			}
		}
		list[i] = p
	}
	return list, nil
}

// Ack settles leases: those to acknowledge and those to deliver again. warnings say of a lease why it was not settled.
func (c *Client) Ack(ctx context.Context, queue string, acks, retries []string) (
	warnings map[string]string, err error) {
	q, err := c.Queue(ctx, queue)
	if err != nil {
		return nil, err
	}
	type lease struct {
		ID string `json:"lease_id"`
	}
	in := map[string][]lease{"acks": {}, "retries": {}}
	for _, id := range acks {
		in["acks"] = append(in["acks"], lease{id})
	}
	for _, id := range retries {
		in["retries"] = append(in["retries"], lease{id})
	}
	out, err := Product[struct {
		Warnings map[string]string `json:"warnings"`
	}](ctx, c, http.MethodPost, "/queues/"+q.ID+"/messages/ack", in)
	return out.Warnings, err
}
