package foreign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Account is an account behind Cloudflare's REST API, with what wrangler takes from the environment.
type Account struct {
	// Base is where the API is, with /client/v4; ID the account.
	Base, ID string
	// Token is an API token with the right to read queues, to drain one also to write. Without it Email and Key are
	// those of a user.
	Token, Email, Key string
}

// APIBase is where Cloudflare's API is.
const APIBase = "https://api.cloudflare.com/client/v4"

// answerTime bounds one request.
const answerTime = 30 * time.Second

// QueueID finds the id of a queue by its name; an id is its own.
func (a *Account) QueueID(ctx context.Context, name string) (string, error) {
	var names []string
	for page := 1; ; page++ {
		answer, err := a.call(ctx, http.MethodGet, fmt.Sprintf("/queues?per_page=100&page=%d", page), nil)
		if err != nil {
			return "", err
		}
		var list []struct {
			ID   string `json:"queue_id"`
			Name string `json:"queue_name"`
		}
		if err := json.Unmarshal(answer, &struct{ Result any }{&list}); err != nil {
			return "", fmt.Errorf("the list of queues does not read: %w", err)
		}
		for _, q := range list {
			if q.Name == name || q.ID == name {
				return q.ID, nil
			}
			names = append(names, q.Name)
		}
		if len(list) < 100 {
			break
		}
	}
	if len(names) == 0 {
		return "", fmt.Errorf("there is no queue %s: the account has none", name)
	}
	return "", fmt.Errorf("there is no queue %s\n  there are: %s", name, strings.Join(names, ", "))
}

// Peek shows up to 100 messages. It leases nothing and costs no attempt (H-16). Backlog is how many there are.
func (a *Account) Peek(ctx context.Context, queue string) (answer []byte, backlog int, err error) {
	answer, err = a.call(ctx, http.MethodPost, "/queues/"+url.PathEscape(queue)+"/messages/peek",
		map[string]any{"batch_size": pullSize})
	_, backlog = leases(answer)
	return answer, backlog, err
}

// pullSize is the most that one pull brings (L-5).
const pullSize = 100

// Pull leases up to 100 messages for a time. The queue needs a pull consumer (H-8).
func (a *Account) Pull(ctx context.Context, queue string, visible time.Duration) (answer []byte, leased []string,
	backlog int, err error) {
	body := map[string]any{"batch_size": pullSize}
	if visible > 0 {
		body["visibility_timeout_ms"] = visible.Milliseconds()
	}
	answer, err = a.call(ctx, http.MethodPost, "/queues/"+url.PathEscape(queue)+"/messages/pull", body)
	leased, backlog = leases(answer)
	return answer, leased, backlog, err
}

// Ack acknowledges leases: their messages are gone for good.
func (a *Account) Ack(ctx context.Context, queue string, leased []string) error {
	acks := make([]map[string]string, len(leased))
	for i, id := range leased {
		acks[i] = map[string]string{"lease_id": id}
	}
	_, err := a.call(ctx, http.MethodPost, "/queues/"+url.PathEscape(queue)+"/messages/ack",
		map[string]any{"acks": acks, "retries": []string{}})
	return err
}

// Messages is how many messages an answer of Peek or Pull has.
func Messages(answer []byte) int {
	list, _ := leases(answer)
	return len(list)
}

// leases are those of an answer, and the backlog that it names.
func leases(answer []byte) (list []string, backlog int) {
	var body struct {
		Result struct {
			Backlog  int `json:"message_backlog_count"`
			Messages []struct {
				LeaseID string `json:"lease_id"`
			} `json:"messages"`
		} `json:"result"`
	}
	_ = json.Unmarshal(answer, &body) // call has read its envelope; what is no list has no leases
	for _, m := range body.Result.Messages {
		list = append(list, m.LeaseID)
	}
	return list, body.Result.Backlog
}

// call sends a request and reads the whole answer, whose envelope says success.
func (a *Account) call(ctx context.Context, method, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if body == nil {
		text = nil
	}
	where := strings.TrimSuffix(a.Base, "/") + "/accounts/" + url.PathEscape(a.ID) + path
	r, err := http.NewRequestWithContext(ctx, method, where, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if a.Token != "" {
		r.Header.Set("Authorization", "Bearer "+a.Token)
	} else {
		r.Header.Set("X-Auth-Email", a.Email)
		r.Header.Set("X-Auth-Key", a.Key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, MaxSize+1))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, where, err)
	}
	if len(answer) > MaxSize {
		return nil, fmt.Errorf("%s %s: the answer is larger than %d MB", method, where, MaxSize>>20)
	}
	var envelope struct {
		Success bool `json:"success"`
		Errors  []struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(answer, &envelope); err != nil {
		return nil, fmt.Errorf("%s %s: %s, and no answer of Cloudflare's API", method, where, res.Status)
	}
	if !envelope.Success {
		err := fmt.Errorf("%s %s: %s", method, where, res.Status)
		for _, e := range envelope.Errors {
			err = fmt.Errorf("%w\n  %s (code %d)", err, e.Message, e.Code)
		}
		return nil, err
	}
	return answer, nil
}
