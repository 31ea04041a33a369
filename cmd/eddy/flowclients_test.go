package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// mostFlows is how many instances a client looks after at a time.
const mostFlows = 12

// flow asks a workflow, or an instance of it, through a node. What it refuses is an answer: the code of the refusal.
func (c *campaign) flow(ctx context.Context, n *fleetNode, in *flowRun, do string, value int64) (string, error) {
	return n.ask(ctx, fmt.Sprintf("/flow?w=%s&n=%s&do=%s&v=%d", in.workflow, in.id, do, value))
}

// flowAct does one thing with an instance: it makes one, or one again, sends it an event, pauses it and lets it go on,
// ends it, or asks how it is.
func (c *campaign) flowAct(ctx context.Context, client, n int, rnd *rand.Rand) error {
	node, own := c.nodes[client%len(c.nodes)], &c.flows[client]
	what := rnd.IntN(12)
	if len(*own) == 0 || what < 3 && len(*own) < mostFlows {
		nap := time.Duration(200+rnd.IntN(8)*200) * time.Millisecond
		in := c.runs.add(string(rune('A'+rnd.IntN(2))), fmt.Sprintf("i%d-%d", client, n), nap)
		*own = append(*own, in)
		return c.create(ctx, node, in)
	}
	at := rnd.IntN(len(*own))
	in := (*own)[at]
	c.runs.mu.Lock()
	made, heard, paused := in.made, in.heard, in.paused
	c.runs.mu.Unlock()
	switch {
	case !made || what == 3:
		return c.create(ctx, node, in)
	case !heard && what < 7:
		return c.send(ctx, node, in)
	case what == 7 && (paused || rnd.IntN(3) == 0):
		return c.pause(ctx, node, in, paused)
	case what == 8 && rnd.IntN(4) == 0:
		return c.terminate(ctx, node, in)
	}
	final, _, err := c.flowStatus(ctx, node, in)
	if final {
		(*own)[at] = (*own)[len(*own)-1]
		*own = (*own)[:len(*own)-1]
	}
	return err
}

// create makes an instance, or tries to make it again.
func (c *campaign) create(ctx context.Context, n *fleetNode, in *flowRun) error {
	b := c.runs
	b.mu.Lock()
	tried, made := in.tried, in.made
	in.tried = true
	b.mu.Unlock()
	text, err := c.flow(ctx, n, in, "create", in.nap.Milliseconds())
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case text == in.id && made:
		b.bad("%s was made twice", in.id)
	case text != in.id && (text != "instance.already_exists" || !tried):
		b.bad("the create of %s, of which some were sent before: %v, was answered with %s", in.id, tried, text)
	}
	in.made = true
	return nil
}

// send sends an instance its event. It is the next one if the one before was not acknowledged.
func (c *campaign) send(ctx context.Context, n *fleetNode, in *flowRun) error {
	b := c.runs
	b.mu.Lock()
	in.sent++
	number := in.sent
	b.mu.Unlock()
	text, err := c.flow(ctx, n, in, "send", int64(number))
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if in.heard = true; text != "sent" {
		b.bad("an event to %s was answered with %s", in.id, text)
	}
	return nil
}

// pause pauses an instance, or lets it go on.
func (c *campaign) pause(ctx context.Context, n *fleetNode, in *flowRun, paused bool) error {
	do := "pause"
	if paused {
		do = "resume"
	}
	b := c.runs
	b.mu.Lock()
	in.paused = true
	b.mu.Unlock()
	text, err := c.flow(ctx, n, in, do, 0)
	if err == nil && text != do {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.bad("%s of %s was answered with %s", do, in.id, text)
	}
	return err
}

func (c *campaign) terminate(ctx context.Context, n *fleetNode, in *flowRun) error {
	b := c.runs
	b.mu.Lock()
	in.ending = true
	b.mu.Unlock()
	text, err := c.flow(ctx, n, in, "terminate", 0)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if in.ended = in.ended || text == "terminate"; !in.ended && text != "instance.cannot_terminate" {
		b.bad("the end of %s was answered with %s", in.id, text)
	}
	return nil
}

// flowStatus asks how an instance is.
func (c *campaign) flowStatus(ctx context.Context, n *fleetNode, in *flowRun) (final bool, text string, err error) {
	if text, err = c.flow(ctx, n, in, "status", 0); err == nil {
		final = c.runs.status(in, text)
	}
	return final, text, err
}

// settleFlows lets all instances come to their ends when all clients have stopped, and looks at the list of each
// workflow. It tells what is wrong.
func (c *campaign) settleFlows(ctx context.Context) []string {
	all := make(chan *flowRun)
	var hands sync.WaitGroup
	for hand := range 8 {
		hands.Go(func() {
			for in := range all {
				for try := hand; ; try++ {
					final, text, err := c.bringToEnd(ctx, c.nodes[try%len(c.nodes)], in)
					if final || ctx.Err() != nil {
						if !final {
							c.runs.mu.Lock()
							c.runs.bad("%s does not end: %s, %v", in.id, text, err)
							c.runs.mu.Unlock()
						}
						break
					}
					<-time.After(20 * time.Millisecond)
				}
			}
		})
	}
	for _, in := range c.runs.all() {
		all <- in
	}
	close(all)
	hands.Wait()
	for _, workflow := range []string{"A", "B"} {
		c.listFlows(workflow)
	}
	return c.runs.contradictions()
}

// bringToEnd does what an instance lacks to come to its end, and tells whether it has ended.
func (c *campaign) bringToEnd(ctx context.Context, n *fleetNode, in *flowRun) (final bool, text string, err error) {
	c.runs.mu.Lock()
	made, heard := in.made, in.heard
	c.runs.mu.Unlock()
	if !made {
		err = c.create(ctx, n, in)
	}
	if err == nil && !heard {
		err = c.send(ctx, n, in)
	}
	if err == nil {
		final, text, err = c.flowStatus(ctx, n, in)
	}
	if err == nil && text == "paused " {
		err = c.pause(ctx, n, in, true)
	}
	return final, text, err
}

// listFlows looks whether a workflow has each instance that clients have asked for once, and no other.
func (c *campaign) listFlows(workflow string) {
	c.t.Helper()
	listed := map[string]int{}
	for page := 1; ; page++ {
		name := "flow-" + strings.ToLower(workflow)
		code, text, errs := ran(c.t, nil, "workflows", "instances", "list", name, "-c", c.dir, "--cluster", c.url,
			"--json", "--per-page", "100", "--page", fmt.Sprint(page))
		var list []workflowInstance
		if err := json.Unmarshal([]byte(text), &list); err != nil || code != exitOK {
			c.t.Errorf("the list of %s: %d, %v, %s%s", name, code, err, text, errs)
			return
		}
		for _, in := range list {
			listed[in.ID]++
		}
		if len(list) == 0 {
			break
		}
	}
	c.runs.mu.Lock()
	defer c.runs.mu.Unlock()
	for id, in := range c.runs.runs {
		if in.workflow != workflow {
			continue
		}
		if n := listed[id]; n != 1 {
			c.runs.bad("%s is listed %d times", id, n)
		}
		delete(listed, id)
	}
	for id := range listed {
		c.runs.bad("%s is listed, and nobody has asked for it", id)
	}
}
