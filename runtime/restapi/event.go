package restapi

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"eddy/queues"
)

// SourceEvent is something that happened at an event source (H-23).
type SourceEvent struct {
	// Source is the source as subscriptions name it: its type, and worker_name and the like where the type has them.
	Source map[string]any `json:"source"`
	// Event is the event's name as subscriptions name it: build.succeeded.
	Event string `json:"event"`
	// Payload is what the source says about it.
	Payload any `json:"payload"`
}

// eventMessage is what lands in the queue.
type eventMessage struct {
	Type     string         `json:"type"`
	Source   map[string]any `json:"source"`
	Payload  any            `json:"payload"`
	Metadata eventMetadata  `json:"metadata"`
}

type eventMetadata struct {
	Account      string `json:"accountId"`
	Subscription string `json:"eventSubscriptionId"`
	Schema       int    `json:"eventSchemaVersion"`
	Timestamp    string `json:"eventTimestamp"`
}

// Fired says where an event went.
type Fired struct {
	// Queues got one message each.
	Queues []string `json:"queues"`
}

// Fire sends an event to the queue of every enabled subscription that wants it.
func (a *API) Fire(ctx context.Context, e SourceEvent) (Fired, error) {
	fired := Fired{Queues: []string{}}
	if err := checkSource(e.Source); err != nil {
		return fired, err
	}
	if e.Event == "" {
		return fired, Refuse(http.StatusBadRequest, CodeInvalidBody, "an event needs its name, such as build.succeeded")
	}
	if e.Payload == nil {
		e.Payload = struct{}{}
	}
	var wanting []Subscription
	a.side.read(func(d *sideData) {
		for _, s := range d.Subscriptions {
			if s.wants(e) {
				wanting = append(wanting, s)
			}
		}
	})
	typ := e.Source["type"].(string)
	for _, s := range wanting {
		q, err := a.Find(ctx, s.Destination.QueueID, CodeNoQueue)
		if err != nil {
			return fired, fmt.Errorf("event subscription %q: %w", s.Name, err)
		}
		body, err := json.Marshal(eventMessage{
			Type: "cf." + typ + "." + e.Event, Source: published(e.Source), Payload: e.Payload,
			Metadata: eventMetadata{localAccount, s.ID, 1, a.o.Broker.Now().UTC().Format("2006-01-02T15:04:05.000Z")},
		})
		if err != nil {
			return fired, err
		}
		if _, err := a.o.Broker.Send(
			ctx, q.Name, []queues.Outgoing{{Body: body, ContentType: queues.ContentJSON}},
			queues.SendOptions{}); err != nil {
			return fired, fmt.Errorf("event subscription %q: %w", s.Name, err)
		}
		fired.Queues = append(fired.Queues, q.Name)
	}
	return fired, nil
}

// wants tells whether the subscription is for this event of this source.
func (s Subscription) wants(e SourceEvent) bool {
	if !s.Enabled || s.Source["type"] != e.Source["type"] || !slices.Contains(s.Events, e.Event) {
		return false
	}
	typ, _ := e.Source["type"].(string)
	for _, f := range sourceFields[typ] {
		if s.Source[f] != e.Source[f] {
			return false
		}
	}
	return true
}

// published is a source as its events name it: worker_name is workerName there.
func published(source map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range source {
		words := strings.Split(k, "_")
		for i := 1; i < len(words); i++ {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
		out[strings.Join(words, "")] = v
	}
	return out
}

// The sources that exist locally: every build of a Worker of the session, at its start and at each reload, and the
// instances of the session's workflows.
const (
	Builds    = "workersBuilds.worker"
	Workflows = "workflows.workflow"
)

// Build is one build of a Worker.
type Build struct {
	ID     string
	Worker string
	// Began is when it began. Ended is when it ended, zero if it has not.
	Began, Ended time.Time
	Failed       bool
}

// NewBuild begins a build.
func NewBuild(worker string, at time.Time) Build {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return Build{ID: fmt.Sprintf("build-%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:]), Worker: worker,
		Began: at}
}

// Event is what subscriptions hear of it: build.started, and once it has ended build.succeeded or build.failed. What
// only a build from a repository has is null.
func (b Build) Event() SourceEvent {
	at := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	name, status, outcome := "build.started", "running", any(nil)
	switch {
	case b.Ended.IsZero():
	case b.Failed:
		name, status, outcome = "build.failed", "failed", "failure"
	default:
		name, status, outcome = "build.succeeded", "success", "success"
	}
	return SourceEvent{
		Source: map[string]any{"type": Builds, "worker_name": b.Worker}, Event: name,
		Payload: map[string]any{
			"buildUuid": b.ID, "status": status, "buildOutcome": outcome, "createdAt": at(b.Began),
			"initializingAt": at(b.Began), "runningAt": at(b.Began),
			"stoppedAt": at(b.Ended),
			"buildTriggerMetadata": map[string]any{
				"buildTriggerSource": "local", "branch": nil, "commitHash": nil, "commitMessage": nil, "author": nil,
				"buildCommand": nil, "deployCommand": nil,
				"rootDirectory": "/", "repoName": nil, "providerAccountName": nil, "providerType": nil,
			},
		},
	}
}

// Unheard says why no event will come of a subscription by itself, "" if events will.
func (a *API) Unheard(s Subscription) string {
	typ, _ := s.Source["type"].(string)
	switch typ {
	case Builds:
	case Workflows:
		name, _ := s.Source["workflow_name"].(string)
		if a.o.Workflow == nil || a.o.Workflow(name) {
			return ""
		}
		return fmt.Sprintf("no Worker of this session has a workflow %q", name)
	case "kv", "r2":
		// There are namespaces and buckets here, but the events tell of their creation and deletion.
		return fmt.Sprintf("source %s tells of what is created and deleted, which the configuration does locally", typ)
	default:
		return fmt.Sprintf("source %s does not exist locally", typ)
	}
	if a.o.Scripts == nil {
		return ""
	}
	name, _ := s.Source["worker_name"].(string)
	if slices.ContainsFunc(a.o.Scripts(), func(w Script) bool { return w.Name == name }) {
		return ""
	}
	return fmt.Sprintf("no Worker %q is in this session", name)
}

// warnUnheard tells the developer of a subscription that nothing fires.
func (a *API) warnUnheard(s Subscription) {
	if a.o.Warn == nil || !s.Enabled {
		return
	}
	why := a.Unheard(s)
	if why == "" {
		return
	}
	typ, _ := s.Source["type"].(string)
	hint := "eddy queues subscriptions fire --source " + typ
	for _, f := range sourceFields[typ] {
		hint += fmt.Sprintf(" --%s %v", strings.ReplaceAll(f, "_", "-"), s.Source[f])
	}
	if len(s.Events) > 0 {
		hint += " --event " + s.Events[0]
	}
	a.o.Warn(fmt.Sprintf(
		"Event subscription %q is kept, but nothing fires it here: %s. Fire an event by hand: %s", s.Name, why, hint))
}
