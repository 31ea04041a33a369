package control

import "net/http"

// Levels of an alert.
const (
	LevelOK       = "ok"
	LevelWarning  = "warning"
	LevelCritical = "critical"
)

// Health is the state of all queues.
type Health struct {
	// Level is the worst of all rows.
	Level string        `json:"level"`
	Rows  []QueueHealth `json:"queues"`
}

// QueueHealth is a row of Z0-15.
type QueueHealth struct {
	Queue string `json:"queue"`
	Depth int64  `json:"depth"`
	// Rate is messages acknowledged per second, on average over the last hour.
	Rate float64 `json:"rate_per_second"`
	// Deliveries and Batches are those of the last hour: of messages, each attempt counted, and of batches that have
	// ended.
	Deliveries int `json:"deliveries"`
	Batches    int `json:"batches"`
	// RetryPercent is the share of deliveries in the last hour that failed.
	RetryPercent float64 `json:"retry_percent"`
	// DLQ is the depth of the queue's dead letter queue.
	DLQ int `json:"dlq"`
	// LagSeconds is the age of the oldest message.
	LagSeconds float64 `json:"lag_seconds"`
	// P99 is the 99th percentile of the processing time in the last hour, as the upper bound of its bucket.
	P99 float64 `json:"p99_ms"`
	// Alerts name what passed a threshold of Z0-14: depth, retry, dlq or p99, each warning or critical.
	Alerts map[string]string `json:"alerts,omitempty"`
	Level  string            `json:"level"`
}

// threshold is one line of Z0-14: above warning, above critical. A share or a percentile says nothing about a few
// events, so that one needs at least as many.
type threshold struct {
	name              string
	warning, critical float64
	value             func(QueueHealth) float64
	events            func(QueueHealth) int // nil: the value is no share
	least             int
}

// LeastDeliveries and LeastBatches are how many there must have been in the last hour before the share of retries, or
// the processing time, is judged.
const (
	LeastDeliveries = 20
	LeastBatches    = 10
)

var thresholds = []threshold{
	{name: "dlq", warning: 0, critical: 100, value: func(q QueueHealth) float64 { return float64(q.DLQ) }},
	{name: "depth", warning: 10_000, critical: 100_000, value: func(q QueueHealth) float64 { return float64(q.Depth) }},
	{
		name: "p99", warning: 10_000, critical: 60_000, value: func(q QueueHealth) float64 { return q.P99 },
		events: func(q QueueHealth) int { return q.Batches }, least: LeastBatches,
	},
	{
		name: "retry", warning: 5, critical: 20, value: func(q QueueHealth) float64 { return q.RetryPercent },
		events: func(q QueueHealth) int { return q.Deliveries }, least: LeastDeliveries,
	},
}

func (q *QueueHealth) judge() {
	q.Level, q.Alerts = LevelOK, map[string]string{}
	for _, t := range thresholds {
		if t.events != nil && t.events(*q) < t.least {
			continue
		}
		switch v := t.value(*q); {
		case v > t.critical:
			q.Alerts[t.name], q.Level = LevelCritical, LevelCritical
		case v > t.warning:
			q.Alerts[t.name] = LevelWarning
			if q.Level == LevelOK {
				q.Level = LevelWarning
			}
		}
	}
}

func (a *API) verbHealth(r *http.Request) (any, error) {
	all, err := a.o.Broker.Queues(r.Context())
	if err != nil {
		return nil, err
	}
	depth := map[string]int{}
	for _, q := range all {
		depth[q.Name] = int(q.Metrics.BacklogCount)
	}
	now := a.o.Clock.Now()
	h := Health{Level: LevelOK, Rows: []QueueHealth{}}
	for _, q := range all {
		sum := a.meter.lastHour(q.Name, now)
		row := QueueHealth{
			Queue: q.Name, Depth: q.Metrics.BacklogCount, Rate: float64(sum.acked) / 3600,
			RetryPercent: 100 * sum.retryRate(),
			LagSeconds:   lag(q, now).Seconds(), P99: sum.p99(), Deliveries: sum.received, Batches: sum.batches(),
		}
		if q.Consumer != nil && q.Consumer.Config.DeadLetterQueue != "" {
			row.DLQ = depth[q.Consumer.Config.DeadLetterQueue]
		}
		row.judge()
		if row.Level == LevelCritical || row.Level == LevelWarning && h.Level == LevelOK {
			h.Level = row.Level
		}
		h.Rows = append(h.Rows, row)
	}
	return h, nil
}
