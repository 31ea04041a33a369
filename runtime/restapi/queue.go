package restapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"eddy/queues"
)

func (a *API) queueRoutes() {
	account := Prefix + "/accounts/{account}"
	for spec, h := range map[string]handler{
		"POST /queues":                                             a.createQueue,
		"GET /queues":                                              a.listQueues,
		"GET /queues/{queue}":                                      a.getQueue,
		"PUT /queues/{queue}":                                      a.putQueue,
		"PATCH /queues/{queue}":                                    a.patchQueue,
		"DELETE /queues/{queue}":                                   a.deleteQueue,
		"GET /queues/{queue}/metrics":                              a.queueMetrics,
		"POST /queues/{queue}/messages":                            a.push,
		"POST /queues/{queue}/messages/batch":                      a.bulkPush,
		"POST /queues/{queue}/messages/pull":                       a.pull,
		"POST /queues/{queue}/messages/ack":                        a.ack,
		"POST /queues/{queue}/messages/peek":                       a.peek,
		"POST /queues/{queue}/messages/purge":                      a.purgeRefs,
		"POST /queues/{queue}/purge":                               a.startPurge,
		"GET /queues/{queue}/purge":                                a.purgeStatus,
		"POST /queues/{queue}/consumers":                           a.createConsumer,
		"GET /queues/{queue}/consumers":                            a.listConsumers,
		"GET /queues/{queue}/consumers/{consumer}":                 a.getConsumer,
		"PUT /queues/{queue}/consumers/{consumer}":                 a.putConsumer,
		"DELETE /queues/{queue}/consumers/{consumer}":              a.deleteConsumer,
		"POST /event_subscriptions/subscriptions":                  a.createSubscription,
		"GET /event_subscriptions/subscriptions":                   a.listSubscriptions,
		"GET /event_subscriptions/subscriptions/{subscription}":    a.getSubscription,
		"PATCH /event_subscriptions/subscriptions/{subscription}":  a.patchSubscription,
		"DELETE /event_subscriptions/subscriptions/{subscription}": a.deleteSubscription,
		"GET /workers/services/{script}":                           a.getScript,
		"GET /workers/services/{script}/environments/{env}":        a.getScript,
		"GET /workers/scripts/{script}":                            a.getScript,
		"GET /workers/scripts":                                     a.listScripts,
	} {
		a.route(account, spec, h)
	}
}

// productQueue is a queue as the product shows it (H-3).
type productQueue struct {
	ID             string            `json:"queue_id"`
	Name           string            `json:"queue_name"`
	Created        time.Time         `json:"created_on"`
	Modified       time.Time         `json:"modified_on"`
	Jurisdiction   string            `json:"jurisdiction,omitempty"`
	Producers      []productProducer `json:"producers"`
	ProducersTotal int               `json:"producers_total_count"`
	Consumers      []productConsumer `json:"consumers"`
	ConsumersTotal int               `json:"consumers_total_count"`
	Settings       productSettings   `json:"settings"`
}

type productProducer struct {
	Type   string `json:"type"`
	Script string `json:"script"`
}

type productSettings struct {
	DeliveryDelay  int64 `json:"delivery_delay"`
	DeliveryPaused bool  `json:"delivery_paused"`
	Retention      int64 `json:"message_retention_period"`
}

// queueView is the product's view of a queue.
func (a *API) queueView(q queues.QueueInfo) productQueue {
	v := productQueue{
		ID: q.ID.String(), Name: q.Name, Created: q.Created, Modified: q.Modified,
		Producers: []productProducer{}, Consumers: []productConsumer{},
		Settings: productSettings{
			DeliveryDelay: int64(q.Settings.DeliveryDelay / time.Second), DeliveryPaused: q.Settings.DeliveryPaused,
			Retention: int64(q.Settings.Retention / time.Second),
		},
	}
	for _, s := range a.scripts() {
		if slices.Contains(s.Producers, q.Name) {
			v.Producers = append(v.Producers, productProducer{"worker", s.Name})
		}
	}
	if q.Consumer != nil {
		v.Consumers = append(v.Consumers, consumerView(*q.Consumer))
	}
	v.ProducersTotal, v.ConsumersTotal = len(v.Producers), len(v.Consumers)
	a.side.read(func(d *sideData) { v.Jurisdiction = d.Jurisdictions[v.ID] })
	return v
}

func (a *API) scripts() []Script {
	if a.o.Scripts == nil {
		return nil
	}
	return a.o.Scripts()
}

// lookup finds the queue of a route by id, or by name, which the product does not offer but people like. code is that
// of the management or of the data plane.
func (a *API) lookup(r *http.Request, code int) (queues.QueueInfo, error) {
	return a.Find(r.Context(), r.PathValue("queue"), code)
}

// Find looks a queue up by id or name; code is that of the refusal if there is none.
func (a *API) Find(ctx context.Context, idOrName string, code int) (queues.QueueInfo, error) {
	q, err := a.o.Broker.QueueOf(ctx, idOrName)
	var missing *queues.Error
	if err == nil || !errors.As(err, &missing) {
		return q, err
	}
	return queues.QueueInfo{}, Refuse(http.StatusNotFound, code, "Queue %q does not exist", idOrName)
}

type queueBody struct {
	Name         string          `json:"queue_name"`
	Settings     json.RawMessage `json:"settings"`
	Jurisdiction string          `json:"jurisdiction"`
}

// Production's names are narrower than what the broker takes from configurations: lower case, and no punctuation but
// dashes.
var productName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
})

// CheckName refuses what production refuses as the name of a queue.
func CheckName(name string) error {
	if !productName().MatchString(name) {
		return Refuse(http.StatusBadRequest, CodeQueueName,
			"Invalid queue name %q: 1 to 63 lowercase letters, digits and dashes, not beginning or ending with a "+
				"dash", name)
	}
	return nil
}

func (a *API) createQueue(r *http.Request) (any, *resultInfo, error) {
	body, err := Decode[queueBody](r, CodeInvalidBody, CodeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	if err := CheckName(body.Name); err != nil {
		return nil, nil, err
	}
	settings, err := queueSettings(queues.DefaultQueueSettings(), body.Settings)
	if err != nil {
		return nil, nil, err
	}
	switch body.Jurisdiction {
	case "", "eu", "us", "fedramp":
	default:
		return nil, nil,
			Refuse(http.StatusBadRequest, CodeInvalidBody, "jurisdiction %q: expected eu, us or fedramp",
				body.Jurisdiction)
	}
	q, err := a.o.Broker.CreateQueue(r.Context(), body.Name, settings)
	if err != nil {
		return nil, nil, NameTaken(err, body.Name)
	}
	if body.Jurisdiction != "" {
		err := a.side.change(func(d *sideData) error {
			if d.Jurisdictions == nil {
				d.Jurisdictions = map[string]string{}
			}
			d.Jurisdictions[q.ID.String()] = body.Jurisdiction
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return a.queueView(q), nil, nil
}

// queueSettings are base with what a body says, checked against K-9 to K-11.
func queueSettings(base queues.QueueSettings, raw json.RawMessage) (queues.QueueSettings, error) {
	var in struct {
		DeliveryDelay  *int64 `json:"delivery_delay"`
		DeliveryPaused *bool  `json:"delivery_paused"`
		Retention      *int64 `json:"message_retention_period"`
	}
	bad := Refuse(http.StatusBadRequest, CodeQueueSettings, "The specified queue settings are invalid.")
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &in); err != nil {
			bad.Details = []string{shape("settings", err)}
			return base, bad
		}
	}
	bad.Between("delivery_delay", in.DeliveryDelay, 0, queues.MaxDelaySeconds)
	bad.Between("message_retention_period", in.Retention, int64(queues.MinRetention/time.Second),
		int64(queues.MaxRetention/time.Second))
	if len(bad.Details) > 0 {
		return base, bad
	}
	if in.DeliveryDelay != nil {
		base.DeliveryDelay = time.Duration(*in.DeliveryDelay) * time.Second
	}
	if in.DeliveryPaused != nil {
		base.DeliveryPaused = *in.DeliveryPaused
	}
	if in.Retention != nil {
		base.Retention = time.Duration(*in.Retention) * time.Second
	}
	return base, nil
}

// Between adds a detail if v is set and out of range.
func (e *Error) Between(name string, v *int64, low, high int64) {
	if v != nil && (*v < low || *v > high) {
		e.Details = append(
			e.Details, name+" of "+strconv.FormatInt(*v, 10)+" must be between "+strconv.FormatInt(low, 10)+" and "+
				strconv.FormatInt(high, 10))
	}
}

// NameTaken words the refusal of a queue name that is in use; another error stays as it is.
func NameTaken(err error, name string) error {
	if isExists(err) {
		return Refuse(http.StatusConflict, CodeNameTaken,
			"Queue name '%s' is already taken. Please use a different name and try again.", name)
	}
	return err
}

func (a *API) listQueues(r *http.Request) (any, *resultInfo, error) {
	all, err := a.o.Broker.Queues(r.Context())
	if err != nil {
		return nil, nil, err
	}
	// wrangler finds a queue by this filter only (T-4); it may be repeated.
	if names := r.URL.Query()["name"]; len(names) > 0 {
		all = slices.DeleteFunc(all, func(q queues.QueueInfo) bool { return !slices.Contains(names, q.Name) })
	}
	part, info := paged(r, all, 100)
	views := make([]productQueue, 0, len(part))
	for _, q := range part {
		views = append(views, a.queueView(q))
	}
	return views, info, nil
}

// paged cuts the page out of a list that ?page and ?per_page ask for.
func paged[T any](r *http.Request, all []T, perPage int) ([]T, *resultInfo) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	info := &resultInfo{Page: number("page", 1), PerPage: min(number("per_page", perPage), 1000), TotalCount: len(all)}
	info.TotalPages = (len(all) + info.PerPage - 1) / info.PerPage
	if info.Page > info.TotalPages {
		return nil, info
	}
	from := (info.Page - 1) * info.PerPage
	part := all[from:min(from+info.PerPage, len(all))]
	info.Count = len(part)
	return part, info
}

func (a *API) getQueue(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	return a.queueView(q), nil, nil
}

func (a *API) putQueue(r *http.Request) (any, *resultInfo, error) {
	return a.updateQueue(r, func(queues.QueueSettings) queues.QueueSettings { return queues.DefaultQueueSettings() })
}

func (a *API) patchQueue(r *http.Request) (any, *resultInfo, error) {
	return a.updateQueue(r, func(s queues.QueueSettings) queues.QueueSettings { return s })
}

func (a *API) updateQueue(r *http.Request, base func(queues.QueueSettings) queues.QueueSettings) (
	any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	body, err := Decode[queueBody](r, CodeInvalidBody, CodeInvalidBody)
	if err != nil {
		return nil, nil, err
	}
	q, err = a.ChangeQueue(r.Context(), q.ID, body.Name, func(s queues.QueueSettings) (queues.QueueSettings, error) {
		return queueSettings(base(s), body.Settings)
	})
	if err != nil {
		return nil, nil, err
	}
	return a.queueView(q), nil, nil
}

// ChangeQueue gives the queue of an id another name, unless that is empty, and the settings that next returns for those
// it has at that moment: the second of two changes at one time builds on the first. next runs on the broker's
// goroutine.
func (a *API) ChangeQueue(
	ctx context.Context, id queues.ID, name string, next func(queues.QueueSettings) (queues.QueueSettings, error)) (
	queues.QueueInfo, error) {
	q, err := a.o.Broker.ChangeQueue(ctx, id, func(q queues.QueueInfo) (string, queues.QueueSettings, error) {
		to := q.Name
		if name != "" && name != q.Name {
			if err := CheckName(name); err != nil {
				return "", q.Settings, err
			}
			to = name
		}
		s, err := next(q.Settings)
		return to, s, err
	})
	return q, NameTaken(err, name)
}

func (a *API) deleteQueue(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	return nil, nil, a.RemoveQueue(r.Context(), q, false)
}

// RemoveQueue refuses while a Worker of the session sends to the queue (H-17), unless forced.
func (a *API) RemoveQueue(ctx context.Context, q queues.QueueInfo, force bool) error {
	for _, s := range a.scripts() {
		if slices.Contains(s.Producers, q.Name) && !force {
			return Refuse(http.StatusConflict, CodeQueueBound,
				"Queue %q is still bound to Worker %q and cannot be deleted", q.Name, s.Name)
		}
	}
	if err := a.o.Broker.DeleteQueue(ctx, q.Name); err != nil {
		return err
	}
	return a.side.change(func(d *sideData) error {
		id := q.ID.String()
		delete(d.Jurisdictions, id)
		delete(d.Purges, id)
		d.Subscriptions = slices.DeleteFunc(
			d.Subscriptions, func(s Subscription) bool { return s.Destination.QueueID == id })
		return nil
	})
}

func (a *API) queueMetrics(r *http.Request) (any, *resultInfo, error) {
	q, err := a.lookup(r, CodeNoQueue)
	if err != nil {
		return nil, nil, err
	}
	return metricsView(q.Metrics), nil, nil
}

type productMetrics struct {
	Count  int64 `json:"backlog_count"`
	Bytes  int64 `json:"backlog_bytes"`
	Oldest int64 `json:"oldest_message_timestamp_ms"`
}

func metricsView(m queues.Metrics) productMetrics {
	v := productMetrics{Count: m.BacklogCount, Bytes: m.BacklogBytes}
	if !m.OldestMessageTimestamp.IsZero() {
		v.Oldest = m.OldestMessageTimestamp.UnixMilli()
	}
	return v
}
