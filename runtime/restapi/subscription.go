package restapi

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Subscription is an event subscription (H-23). Builds of the session's own Workers fire by themselves; the other
// sources do not exist locally, and their events are fired by hand. See [API.Fire].
type Subscription struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Enabled     bool           `json:"enabled"`
	Source      map[string]any `json:"source"`
	Destination Destination    `json:"destination"`
	Events      []string       `json:"events"`
	Created     time.Time      `json:"created_at"`
	Modified    time.Time      `json:"modified_at"`
}

// Destination is where the events of a subscription go.
type Destination struct {
	Type    string `json:"type"`
	QueueID string `json:"queue_id"`
}

// SubscriptionChange is what creates a subscription, or changes one: what is nil keeps its value.
type SubscriptionChange struct {
	Name        *string        `json:"name"`
	Enabled     *bool          `json:"enabled"`
	Source      map[string]any `json:"source"`
	Destination *Destination   `json:"destination"`
	Events      []string       `json:"events"`
}

// sourceFields are the source types and what each needs beside its type.
var sourceFields = map[string][]string{
	"artifacts": nil, "artifacts.repo": nil, "email.sending": {"zone_id", "domain"}, "images": nil, "kv": nil,
	"r2":           nil,
	"superSlurper": nil, "vectorize": nil, "workersAi.model": {"model_name"}, "workersBuilds.worker": {"worker_name"},
	"workflows.workflow": {"workflow_name"},
}

func checkSource(source map[string]any) error {
	typ, _ := source["type"].(string)
	fields, ok := sourceFields[typ]
	if !ok {
		var known []string
		for t := range sourceFields {
			known = append(known, t)
		}
		slices.Sort(known)
		return Refuse(http.StatusBadRequest, CodeInvalidBody, "source type %q: expected one of %s", typ,
			strings.Join(known, ", "))
	}
	for _, f := range fields {
		if s, _ := source[f].(string); s == "" {
			return Refuse(http.StatusBadRequest, CodeInvalidBody, "a source of type %s needs %s", typ, f)
		}
	}
	return nil
}

func (a *API) checkDestination(ctx context.Context, d *Destination) error {
	if d.Type != "queues.queue" {
		return Refuse(http.StatusBadRequest, CodeInvalidBody, "destination type %q: expected queues.queue", d.Type)
	}
	q, err := a.Find(ctx, d.QueueID, CodeNoQueue)
	d.QueueID = q.ID.String()
	return err
}

func (a *API) createSubscription(r *http.Request) (any, *resultInfo, error) {
	body, err := Decode[SubscriptionChange](r, CodeInvalidBody, CodeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	s, err := a.Subscribe(r.Context(), body)
	return s, nil, err
}

// Subscribe makes an event subscription.
func (a *API) Subscribe(ctx context.Context, body SubscriptionChange) (Subscription, error) {
	if body.Name == nil || *body.Name == "" || body.Destination == nil || len(body.Events) == 0 {
		return Subscription{}, Refuse(http.StatusBadRequest, CodeInvalidBody,
			"a subscription needs name, source, destination and at least one event")
	}
	if err := checkSource(body.Source); err != nil {
		return Subscription{}, err
	}
	if err := a.checkDestination(ctx, body.Destination); err != nil {
		return Subscription{}, err
	}
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return Subscription{}, err
	}
	now := a.o.Broker.Now()
	s := Subscription{
		ID: hex.EncodeToString(id[:]), Name: *body.Name, Enabled: body.Enabled == nil || *body.Enabled,
		Source:      body.Source,
		Destination: *body.Destination, Events: body.Events, Created: now, Modified: now,
	}
	err := a.side.change(func(d *sideData) error {
		d.Subscriptions = append(d.Subscriptions, s)
		return nil
	})
	if err == nil {
		a.warnUnheard(s)
	}
	return s, err
}

// Subscriptions lists the event subscriptions in the order in which they were made.
func (a *API) Subscriptions() (list []Subscription) {
	a.side.read(func(d *sideData) { list = slices.Clone(d.Subscriptions) })
	return list
}

func (a *API) listSubscriptions(r *http.Request) (any, *resultInfo, error) {
	list := a.Subscriptions()
	if id := r.URL.Query().Get("queue_id"); id != "" {
		list = slices.DeleteFunc(list, func(s Subscription) bool { return s.Destination.QueueID != id })
	}
	part, info := paged(r, list, 20)
	if part == nil {
		part = []Subscription{}
	}
	return part, info, nil
}

func (a *API) getSubscription(r *http.Request) (any, *resultInfo, error) {
	var found Subscription
	err := errNoSubscription(r.PathValue("subscription"))
	a.side.read(func(d *sideData) {
		if i := d.subscription(r.PathValue("subscription")); i >= 0 {
			found, err = d.Subscriptions[i], nil
		}
	})
	return found, nil, err
}

func errNoSubscription(id string) error {
	return Refuse(http.StatusNotFound, CodeNoSubscription, "Event subscription %q does not exist", id)
}

func (d *sideData) subscription(id string) int {
	return slices.IndexFunc(d.Subscriptions, func(s Subscription) bool { return s.ID == id })
}

func (a *API) patchSubscription(r *http.Request) (any, *resultInfo, error) {
	body, err := Decode[SubscriptionChange](r, CodeInvalidBody, CodeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	if body.Source != nil {
		if err := checkSource(body.Source); err != nil {
			return nil, nil, err
		}
	}
	if body.Destination != nil {
		if err := a.checkDestination(r.Context(), body.Destination); err != nil {
			return nil, nil, err
		}
	}
	var changed Subscription
	err = a.side.change(func(d *sideData) error {
		i := d.subscription(r.PathValue("subscription"))
		if i < 0 {
			return errNoSubscription(r.PathValue("subscription"))
		}
		s := &d.Subscriptions[i]
		if body.Name != nil {
			s.Name = *body.Name
		}
		if body.Enabled != nil {
			s.Enabled = *body.Enabled
		}
		if body.Source != nil {
			s.Source = body.Source
		}
		if body.Destination != nil {
			s.Destination = *body.Destination
		}
		if len(body.Events) > 0 {
			s.Events = body.Events
		}
		s.Modified = a.o.Broker.Now()
		changed = *s
		return nil
	})
	if err == nil {
		a.warnUnheard(changed)
	}
	return changed, nil, err
}

func (a *API) deleteSubscription(r *http.Request) (any, *resultInfo, error) {
	gone, err := a.Unsubscribe(r.PathValue("subscription"))
	return gone, nil, err
}

// Unsubscribe removes the subscription of an id, and returns what it was.
func (a *API) Unsubscribe(id string) (gone Subscription, err error) {
	err = a.side.change(func(d *sideData) error {
		i := d.subscription(id)
		if i < 0 {
			return errNoSubscription(id)
		}
		gone = d.Subscriptions[i]
		d.Subscriptions = slices.Delete(d.Subscriptions, i, i+1)
		return nil
	})
	return gone, err
}
