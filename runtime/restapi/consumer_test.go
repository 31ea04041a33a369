package restapi

import "testing"

// H-4, H-5 and the defaults of K-1 to K-8.
func TestConsumersOverREST(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	c := b.ok("POST", "/queues/"+id+"/consumers",
		`{"type":"worker","script_name":"w","environment_name":"","settings":{"max_wait_time_ms":2000}}`)
	if got, want := compact(t, at(c, "settings")),
		`{"batch_size":10,"max_concurrency":null,"max_retries":3,"max_wait_time_ms":2000,`+
			`"retry_delay":0}`; got != want {
		t.Errorf("worker settings %s, want %s", got, want)
	}
	if at(c, "script") != "w" || at(c, "dead_letter_queue") != "" {
		t.Errorf("consumer %v", c)
	}
	b.refused("POST", "/queues/"+id+"/consumers", `{"type":"http_pull"}`, 409, 11004) // D-11
	cid := at(c, "consumer_id").(string)
	c = b.ok("PUT", "/queues/"+id+"/consumers/"+cid, `{"type":"http_pull","dead_letter_queue":"a-dlq"}`)
	if got, want := compact(t, at(c, "settings")),
		`{"batch_size":5,"max_retries":3,"retry_delay":0,"visibility_timeout_ms":30000}`; got != want {
		t.Errorf("pull settings %s, want %s", got, want)
	}
	if got := b.ok("GET", "/queues?name=a-dlq", ""); len(got.([]any)) != 1 { // K-5
		t.Errorf("the dead letter queue was not made: %v", got)
	}
	cid = at(b.ok("GET", "/queues/"+id+"/consumers", ""), 0, "consumer_id").(string)
	b.ok("DELETE", "/queues/"+id+"/consumers/"+cid, "")
	b.refused("GET", "/queues/"+id+"/consumers/"+cid, "", 404, CodeNoConsumer)
}

// D-24: a dead letter queue shares the jurisdiction of its queue, which is given at creation only.
func TestJurisdictionOfDeadLetterQueue(t *testing.T) {
	b := newBench(t)
	eu := at(b.ok("POST", "/queues", `{"queue_name":"a","jurisdiction":"eu"}`), "queue_id").(string)
	b.ok("POST", "/queues", `{"queue_name":"eu-dlq","jurisdiction":"eu"}`)
	b.create("plain-dlq")
	b.refused("POST", "/queues/"+eu+"/consumers", `{"type":"http_pull","dead_letter_queue":"plain-dlq"}`, 400, 100127)
	b.ok("POST", "/queues/"+eu+"/consumers", `{"type":"http_pull","dead_letter_queue":"eu-dlq"}`)
	other := at(b.ok("POST", "/queues", `{"queue_name":"b","jurisdiction":"us"}`), "queue_id").(string)
	c := b.ok("POST", "/queues/"+other+"/consumers", `{"type":"http_pull","dead_letter_queue":"made-dlq"}`)
	if got := at(b.ok("GET", "/queues?name=made-dlq", ""), 0, "jurisdiction"); got != "us" {
		t.Errorf("a dead letter queue was made in %v", got)
	}
	b.ok("PUT", "/queues/"+other+"/consumers/"+at(c, "consumer_id").(string),
		`{"type":"http_pull","dead_letter_queue":"made-dlq"}`)
	if q := b.ok("PATCH", "/queues/"+eu, `{"jurisdiction":"us"}`); at(q, "jurisdiction") != "eu" {
		t.Errorf("changed to %v", at(q, "jurisdiction"))
	}
}

// K-1, K-2, K-3, K-4, K-5, K-6, K-7, K-8 with 100127; H-19.
func TestConsumerRefusals(t *testing.T) {
	b := newBench(t)
	id := b.create("a")
	for _, settings := range []string{
		`{"batch_size":0}`, `{"batch_size":101}`, `{"batch_size":1.5}`, `{"max_wait_time_ms":-1}`,
		`{"max_wait_time_ms":60001}`, `{"max_retries":-1}`,
		`{"max_retries":101}`, `{"retry_delay":-1}`, `{"retry_delay":86401}`, `{"max_concurrency":0}`,
		`{"max_concurrency":251}`,
		`{"visibility_timeout_ms":43200001}`, `"x"`,
	} {
		b.refused("POST", "/queues/"+id+"/consumers", `{"type":"worker","script_name":"w","settings":`+settings+`}`,
			400, 100127)
	}
	// K-17
	b.refused("POST", "/queues/"+id+"/consumers", `{"type":"worker","script_name":"w","dead_letter_queue":"a"}`, 400,
		100127)
	b.refused("POST", "/queues/"+id+"/consumers", `{"script_name":"w"}`, 400, 10026)
	// H-24: a beta of the dashboard's, which nothing here could notify.
	b.refused("POST", "/queues/"+id+"/consumers", `{"type":"notification"}`, 400, 10026)
	_, e := b.call("POST", "/queues/"+id+"/consumers", `{"type":"notification"}`)
	if got := at(e, "errors", 0,
		"message"); got != `invalid request body: consumers of type "notification" cannot run locally; expected `+
		`worker or http_pull` {
		t.Errorf("refusal of a notification consumer: %v", got)
	}
	b.refused("POST", "/queues/"+id+"/consumers", `{"type":"worker"}`, 400, 10026)
	b.refused("POST", "/queues/"+id+"/consumers", `{"type":"worker","script_name":"silent"}`, 400, 11001)
	b.refused("POST", "/queues/"+id+"/consumers", `{"type":"worker","script_name":"nobody"}`, 404, 10007)
	b.refused("POST", "/queues/nothing/consumers", `{"type":"http_pull"}`, 404, 11000)
}
