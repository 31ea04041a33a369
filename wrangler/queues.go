package wrangler

import (
	"fmt"
	"strings"
	"time"
)

// Ranges of the consumer settings: production's, which are narrower than the reference's in max_batch_size and
// max_concurrency (K-1 to K-7, K-18).
var (
	batchSizeRange    = numberRange{min: 1, max: 100, whole: true, unit: "messages"}
	batchTimeoutRange = numberRange{min: 0, max: 60, unit: "seconds"}
	retriesRange      = numberRange{min: 0, max: 100, whole: true}
	delayRange        = numberRange{min: 0, max: 86400, whole: true, unit: "seconds"}
	concurrencyRange  = numberRange{min: 1, max: 250, whole: true}
	visibilityRange   = numberRange{min: 0, max: 12 * 60 * 60 * 1000, whole: true, unit: "milliseconds"}
)

// readQueues reads the queues section (K-12).
func (s *scope) readQueues(cfg *Config) {
	e, ok := s.lookup("queues")
	if !ok {
		return
	}
	o, ok := s.open(e.path, e.value, fieldPhrase)
	if !ok {
		return
	}
	for _, p := range o.objects("producers", bindingPhrase) {
		cfg.Queues.Producers = append(cfg.Queues.Producers, readProducer(p, cfg.Name))
	}
	first := make(map[string]int) // queue → index in Consumers
	for _, c := range o.objects("consumers", entryPhrase) {
		consumer := readConsumer(c)
		i, twice := first[consumer.Queue]
		switch {
		case consumer.Queue == "":
		case twice:
			s.consumedTwice(c, cfg.Queues.Consumers[i])
			cfg.Queues.Consumers[i] = consumer
		default:
			first[consumer.Queue] = len(cfg.Queues.Consumers)
			cfg.Queues.Consumers = append(cfg.Queues.Consumers, consumer)
		}
	}
	o.finish()
	s.warnMissingNames(e)
}

// consumedTwice reports a second consumer for one queue. The reference lets the later entry win without a word
// (K-17); production allows one consumer per queue, and half of the settings would be lost silently.
func (s *scope) consumedTwice(c *object, earlier Consumer) {
	s.errorAt(c.spanOf("queue"), fmt.Sprintf("Multiple consumers defined for queue %q", earlier.Queue),
		"merge the two entries into one",
		fmt.Sprintf("A queue has one consumer; the other one is at line %d.", earlier.Pos.Line))
}

func readProducer(o *object, worker string) Producer {
	p := Producer{Binding: o.require("binding", "MY_QUEUE"), Queue: o.nonEmpty("queue"), Remote: o.remote(),
		Pos: o.pos()}
	if p.Queue == "" && p.Binding != "" {
		// The reference provisions a queue of this name for a producer without one.
		p.Queue = strings.ReplaceAll(strings.ToLower(p.Binding), "_", "-")
		if worker != "" {
			p.Queue = worker + "-" + p.Queue
		}
	}
	if v := o.n.get("delivery_delay"); v != nil && v.kind == numberNode {
		o.warnAt(v.span,
			fmt.Sprintf(`The "delivery_delay" field in %q is deprecated and has no effect in production.`, o.path),
			`set it on the queue: wrangler queues update <queue> --delivery-delay-secs <seconds>`,
			"Locally it is applied, as by wrangler dev.")
		delay := time.Duration(o.ranged("delivery_delay", 0, delayRange)) * time.Second
		p.DeliveryDelay = &delay
	} else {
		o.number("delivery_delay")
	}
	o.finish()
	return p
}

func readConsumer(o *object) Consumer {
	c := Consumer{Queue: o.require("queue", "my-queue"), Type: PushConsumer, Pos: o.pos()}
	if v := o.n.get("queue"); v != nil && v.kind == stringNode && v.text == "" {
		o.missing("queue", "string", `"my-queue"`)
	}
	o.readConsumerType(&c)
	c.MaxBatchSize = int(o.ranged("max_batch_size", 10, batchSizeRange))
	c.MaxBatchTimeout = time.Duration(o.ranged("max_batch_timeout", 5, batchTimeoutRange) * float64(time.Second))
	c.MaxRetries = int(o.ranged("max_retries", 3, retriesRange))
	c.RetryDelay = time.Duration(o.ranged("retry_delay", 0, delayRange)) * time.Second
	c.MaxConcurrency = int(o.ranged("max_concurrency", 0, concurrencyRange))
	c.VisibilityTimeout = time.Duration(o.ranged("visibility_timeout_ms", 30_000, visibilityRange)) * time.Millisecond
	c.DeadLetterQueue = o.text("dead_letter_queue")
	if c.DeadLetterQueue != "" && c.DeadLetterQueue == c.Queue {
		o.errorAt(o.spanOf("dead_letter_queue"),
			fmt.Sprintf("Dead letter queue for queue %q cannot be itself", c.Queue),
			"name another queue: "+o.assign("dead_letter_queue", quoteJSON(c.Queue+"-dlq")))
	}
	o.finish()
	return c
}

// readConsumerType reads the type. The reference refuses "http_pull" since 4.78 (K-13); here a pull consumer has to
// be declared somewhere, and older configurations declare it so.
func (o *object) readConsumerType(c *Consumer) {
	v := o.member("type")
	switch {
	case v == nil:
	case v.kind != stringNode:
		o.mistyped("type", "string", false)
	case v.text == string(PushConsumer):
	case v.text == string(PullConsumer):
		c.Type = PullConsumer
		for _, key := range []string{"max_batch_size", "max_batch_timeout", "max_concurrency"} {
			if f, ok := o.n.field(key); ok {
				o.warnAt(f.keySpan, fmt.Sprintf("%q has no effect on an http_pull consumer.", o.pathOf(key)),
					"remove it",
					"Whoever pulls says in each request how many messages it takes.")
			}
		}
	default:
		fix := `write "worker", or "http_pull" for a queue that is read over HTTP`
		if near := didYouMean(v.text, []string{"worker", "http_pull"}); near != "" {
			fix = "did you mean " + quoteJSON(near) + "?"
		}
		o.errorAt(v.span, fmt.Sprintf(`"%s.type" has an invalid value %q. Only "worker" and "http_pull" consumers `+
			`can be configured in your Wrangler configuration.`,
			o.path, v.text), fix)
	}
}
