package control

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// subscription is an event subscription (H-23). Builds of the session's own Workers fire by themselves; the other sources do
// not exist locally, and their events are fired by hand. See [API.Fire].
type subscription struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Enabled     bool           `json:"enabled"`
	Source      map[string]any `json:"source"`
	Destination destination    `json:"destination"`
	Events      []string       `json:"events"`
	Created     time.Time      `json:"created_at"`
	Modified    time.Time      `json:"modified_at"`
}

type destination struct {
	Type    string `json:"type"`
	QueueID string `json:"queue_id"`
}

type subscriptionBody struct {
	Name        *string        `json:"name"`
	Enabled     *bool          `json:"enabled"`
	Source      map[string]any `json:"source"`
	Destination *destination   `json:"destination"`
	Events      []string       `json:"events"`
}

// sourceFields are the source types and what each needs beside its type.
var sourceFields = map[string][]string{
	"artifacts": nil, "artifacts.repo": nil, "email.sending": {"zone_id", "domain"}, "images": nil, "kv": nil, "r2": nil,
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
		return refuse(http.StatusBadRequest, codeInvalidBody, "source type %q: expected one of %s", typ, strings.Join(known, ", "))
	}
	for _, f := range fields {
		if s, _ := source[f].(string); s == "" {
			return refuse(http.StatusBadRequest, codeInvalidBody, "a source of type %s needs %s", typ, f)
		}
	}
	return nil
}

func (a *API) checkDestination(r *http.Request, d *destination) error {
	if d.Type != "queues.queue" {
		return refuse(http.StatusBadRequest, codeInvalidBody, "destination type %q: expected queues.queue", d.Type)
	}
	q, err := a.find(r.Context(), d.QueueID, codeNoQueue)
	d.QueueID = q.ID.String()
	return err
}

func (a *API) createSubscription(r *http.Request) (any, *resultInfo, error) {
	body, err := decode[subscriptionBody](r, codeInvalidBody, codeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	if body.Name == nil || *body.Name == "" || body.Destination == nil || len(body.Events) == 0 {
		return nil, nil, refuse(http.StatusBadRequest, codeInvalidBody, "a subscription needs name, source, destination and at least one event")
	}
	if err := checkSource(body.Source); err != nil {
		return nil, nil, err
	}
	if err := a.checkDestination(r, body.Destination); err != nil {
		return nil, nil, err
	}
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, nil, err
	}
	now := a.o.Broker.Now()
	s := subscription{
		ID: hex.EncodeToString(id[:]), Name: *body.Name, Enabled: body.Enabled == nil || *body.Enabled, Source: body.Source,
		Destination: *body.Destination, Events: body.Events, Created: now, Modified: now,
	}
	err = a.side.change(func(d *sideData) error {
		d.Subscriptions = append(d.Subscriptions, s)
		return nil
	})
	if err == nil {
		a.warnUnheard(s)
	}
	return s, nil, err
}

func (a *API) listSubscriptions(r *http.Request) (any, *resultInfo, error) {
	var list []subscription
	a.side.read(func(d *sideData) { list = slices.Clone(d.Subscriptions) })
	if id := r.URL.Query().Get("queue_id"); id != "" {
		list = slices.DeleteFunc(list, func(s subscription) bool { return s.Destination.QueueID != id })
	}
	part, info := paged(r, list, 20)
	if part == nil {
		part = []subscription{}
	}
	return part, info, nil
}

func (a *API) getSubscription(r *http.Request) (any, *resultInfo, error) {
	var found subscription
	err := errNoSubscription(r)
	a.side.read(func(d *sideData) {
		if i := d.subscription(r.PathValue("subscription")); i >= 0 {
			found, err = d.Subscriptions[i], nil
		}
	})
	return found, nil, err
}

func errNoSubscription(r *http.Request) error {
	return refuse(http.StatusNotFound, codeNoSubscription, "Event subscription %q does not exist", r.PathValue("subscription"))
}

func (d *sideData) subscription(id string) int {
	return slices.IndexFunc(d.Subscriptions, func(s subscription) bool { return s.ID == id })
}

func (a *API) patchSubscription(r *http.Request) (any, *resultInfo, error) {
	body, err := decode[subscriptionBody](r, codeInvalidBody, codeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	if body.Source != nil {
		if err := checkSource(body.Source); err != nil {
			return nil, nil, err
		}
	}
	if body.Destination != nil {
		if err := a.checkDestination(r, body.Destination); err != nil {
			return nil, nil, err
		}
	}
	var changed subscription
	err = a.side.change(func(d *sideData) error {
		i := d.subscription(r.PathValue("subscription"))
		if i < 0 {
			return errNoSubscription(r)
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
	var gone subscription
	err := a.side.change(func(d *sideData) error {
		i := d.subscription(r.PathValue("subscription"))
		if i < 0 {
			return errNoSubscription(r)
		}
		gone = d.Subscriptions[i]
		d.Subscriptions = slices.Delete(d.Subscriptions, i, i+1)
		return nil
	})
	return gone, nil, err
}
