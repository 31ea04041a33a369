package control

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"eddy/runtime/restapi"
)

// The nouns of event subscriptions are the product API's.
type (
	// SourceEvent is something that happened at an event source (H-23).
	SourceEvent = restapi.SourceEvent
	// Fired says where an event went.
	Fired = restapi.Fired
	// Build is one build of a Worker; its events are the one source that exists locally.
	Build = restapi.Build
	// SubscriptionChange is what an event subscription is made of.
	SubscriptionChange = restapi.SubscriptionChange
	// Destination is where the events of a subscription go.
	Destination = restapi.Destination
)

// Workflows is the source of events of instances of workflows.
const Workflows = restapi.Workflows

// NewBuild begins a build.
func NewBuild(worker string, at time.Time) Build { return restapi.NewBuild(worker, at) }

// Fire sends an event to the queue of every enabled subscription that wants it.
func (a *API) Fire(ctx context.Context, e SourceEvent) (Fired, error) { return a.rest.Fire(ctx, e) }

func (a *API) verbFire(r *http.Request) (any, error) {
	in, err := input[SourceEvent](r)
	if err != nil {
		return nil, err
	}
	return a.Fire(r.Context(), in)
}

// Subscription is an event subscription as the control API shows it.
type Subscription struct {
	restapi.Subscription
	Queue string `json:"queue"`
	// Unheard says why no event comes by itself; empty if events come.
	Unheard string `json:"unheard,omitempty"`
}

func (a *API) verbSubscriptions(r *http.Request) (any, error) {
	all, err := a.o.Broker.Queues(r.Context())
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, q := range all {
		names[q.ID.String()] = q.Name
	}
	list := []Subscription{}
	for _, s := range a.rest.Subscriptions() {
		list = append(list, Subscription{s, names[s.Destination.QueueID], a.rest.Unheard(s)})
	}
	return list, nil
}

func (a *API) verbSubscribe(r *http.Request) (any, error) {
	in, err := input[SubscriptionChange](r)
	if err != nil {
		return nil, err
	}
	s, err := a.rest.Subscribe(r.Context(), in)
	if err != nil {
		return nil, err
	}
	q, err := a.rest.Find(r.Context(), s.Destination.QueueID, restapi.CodeNoQueue)
	return Subscription{s, q.Name, a.rest.Unheard(s)}, err
}

func (a *API) verbUnsubscribe(r *http.Request) (any, error) {
	return a.rest.Unsubscribe(r.PathValue("id"))
}

// Subscriptions lists the event subscriptions.
func (c *Client) Subscriptions(ctx context.Context) ([]Subscription, error) {
	return do[[]Subscription](ctx, c, "GET", "/subscriptions", nil)
}

// Subscribe makes an event subscription. The destination's queue may be given by its name.
func (c *Client) Subscribe(ctx context.Context, s SubscriptionChange) (Subscription, error) {
	return do[Subscription](ctx, c, "POST", "/subscriptions", s)
}

// Unsubscribe removes the event subscription of an id.
func (c *Client) Unsubscribe(ctx context.Context, id string) error {
	_, err := do[restapi.Subscription](ctx, c, "DELETE", "/subscriptions/"+url.PathEscape(id), nil)
	return err
}

// Fire sends an event to the queues of those who subscribed to it.
func (c *Client) Fire(ctx context.Context, e SourceEvent) (Fired, error) {
	return do[Fired](ctx, c, "POST", "/events", e)
}
