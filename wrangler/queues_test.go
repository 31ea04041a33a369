package wrangler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestConsumerDefaults: production's defaults, not those of the reference's simulator (K-1 to K-7, X-1).
func TestConsumerDefaults(t *testing.T) {
	cfg := loadText(
		t, "wrangler.toml", "name = \"w\"\n[[queues.consumers]]\nqueue = \"q\"\n[[queues.consumers]]\nqueue = \"p\"\n"+
			"type = \"http_pull\"\n", Options{})
	want := []Consumer{
		{Queue: "q", Type: PushConsumer, MaxBatchSize: 10, MaxBatchTimeout: 5 * time.Second, MaxRetries: 3,
			VisibilityTimeout: 30 * time.Second},
		{Queue: "p", Type: PullConsumer, MaxBatchSize: 10, MaxBatchTimeout: 5 * time.Second, MaxRetries: 3,
			VisibilityTimeout: 30 * time.Second},
	}
	if diff := cmp.Diff(want, cfg.Queues.Consumers, ignorePlaces); diff != "" {
		t.Errorf("consumers (-want +got):\n%s", diff)
	}
	if _, ok := cfg.Consumer("p"); !ok {
		t.Error("consumer p is not found by its queue")
	}
	if c, ok := cfg.Consumer("r"); ok {
		t.Errorf("found a consumer of an unknown queue: %+v", c)
	}
}

// TestConsumerRangeEnds: the ends of every range are allowed (K-1 to K-7).
func TestConsumerRangeEnds(t *testing.T) {
	cfg := loadText(t, "wrangler.jsonc", `{ "name": "w", "queues": { "consumers": [
		{ "queue": "low", "max_batch_size": 1, "max_batch_timeout": 0, "max_retries": 0, "retry_delay": 0,
			"max_concurrency": 1, "visibility_timeout_ms": 0 },
		{ "queue": "high", "max_batch_size": 100, "max_batch_timeout": 60, "max_retries": 100, "retry_delay": 86400,
			"max_concurrency": 250, "visibility_timeout_ms": 43200000 }
	] } }`, Options{})
	want := []Consumer{
		{Queue: "low", Type: PushConsumer, MaxBatchSize: 1, MaxConcurrency: 1},
		{Queue: "high", Type: PushConsumer, MaxBatchSize: 100, MaxBatchTimeout: time.Minute, MaxRetries: 100,
			RetryDelay:     24 * time.Hour,
			MaxConcurrency: 250, VisibilityTimeout: 12 * time.Hour},
	}
	if diff := cmp.Diff(want, cfg.Queues.Consumers, ignorePlaces); diff != "" {
		t.Errorf("consumers (-want +got):\n%s", diff)
	}
}

// TestDeadLetterCycle: cycles over two queues are allowed (K-17).
func TestDeadLetterCycle(t *testing.T) {
	cfg, found := Load(writeConfig(t, `{ "name": "w", "compatibility_date": "2026-04-01", "queues": { "consumers": [
		{ "queue": "a", "dead_letter_queue": "b" }, { "queue": "b", "dead_letter_queue": "a" }] } }`),
		Options{Now: today})
	if len(found) != 0 {
		t.Errorf("diagnostics: %v", found)
	}
	if len(cfg.Queues.Consumers) != 2 {
		t.Errorf("consumers: %+v", cfg.Queues.Consumers)
	}
}

// K-12: every key is read, none is warned about, and a named environment inherits none of it.
func TestQueueKeys(t *testing.T) {
	text := `{ "name": "w", "compatibility_date": "2026-04-01", "queues": {
		"producers": [{ "binding": "Q", "queue": "q", "delivery_delay": 7, "remote": false }],
		"consumers": [{ "queue": "q", "type": "worker", "max_batch_size": 2, "max_batch_timeout": 3, "max_retries": 4,
			"dead_letter_queue": "d",
			"max_concurrency": 5, "visibility_timeout_ms": 6000, "retry_delay": 8 }] }, "env": { "staging": {} } }`
	cfg := loadText(t, "wrangler.jsonc", text, Options{})
	p, c := cfg.Queues.Producers[0], cfg.Queues.Consumers[0]
	if p.Binding != "Q" || p.Queue != "q" || p.DeliveryDelay == nil || *p.DeliveryDelay != 7*time.Second || p.Remote {
		t.Errorf("producer %+v", p)
	}
	want := Consumer{
		Queue: "q", Type: PushConsumer, MaxBatchSize: 2, MaxBatchTimeout: 3 * time.Second, MaxRetries: 4,
		DeadLetterQueue: "d",
		MaxConcurrency:  5, VisibilityTimeout: 6 * time.Second, RetryDelay: 8 * time.Second}
	if diff := cmp.Diff(want, c, ignorePlaces); diff != "" {
		t.Errorf("consumer (-want +got):\n%s", diff)
	}
	if of := loadText(t, "wrangler.jsonc", text, Options{Env: "staging"}); len(of.Queues.Producers)+
		len(of.Queues.Consumers) != 0 {
		t.Errorf("the environment has %+v", of.Queues)
	}
}
