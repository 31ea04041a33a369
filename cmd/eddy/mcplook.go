package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"eddy/runtime/control"
	"eddy/runtime/journal"
)

type nothingAsked struct{}

type ofQueue struct {
	Queue string `json:"queue" jsonschema:"name of the queue"`
}

type messagesAsked struct {
	Queue    string `json:"queue" jsonschema:"name of the queue"`
	State    string `json:"state,omitempty" jsonschema:"ready, delayed, in flight or held; any without"`
	Contains string `json:"contains,omitempty" jsonschema:"what the body contains"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many are shown, 20 without"`
}

type deadLettersAsked struct {
	Queue string `json:"queue" jsonschema:"the dead letter queue"`
	Error string `json:"error,omitempty" jsonschema:"what the last error contains"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many are shown, 20 without"`
}

type ofObject struct {
	Namespace string `json:"namespace,omitempty" jsonschema:"WORKER-CLASS, where the name alone is not enough"`
	Object    string `json:"object" jsonschema:"name or id, or the beginning of the id"`
}

type objectsAsked struct {
	Namespace string `json:"namespace,omitempty" jsonschema:"WORKER-CLASS; all without"`
}

type sqlAsked struct {
	ofObject
	SQL string `json:"sql" jsonschema:"a query that only reads"`
}

type lanesAsked struct {
	Queue   string `json:"queue" jsonschema:"the do-queue queue"`
	Blocked bool   `json:"blocked,omitempty" jsonschema:"only lanes whose oldest message has failed"`
}

type eventsAsked struct {
	Worker string `json:"worker,omitempty" jsonschema:"only of this Worker"`
	Queue  string `json:"queue,omitempty" jsonschema:"only deliveries of this queue"`
	Object string `json:"object,omitempty" jsonschema:"only of this Durable Object, by name or id"`
	Failed bool   `json:"failed,omitempty" jsonschema:"only what failed or is to be retried"`
	Search string `json:"search,omitempty" jsonschema:"a text in log lines and exceptions"`
	Limit  int    `json:"limit,omitempty" jsonschema:"how many of the latest, 20 without"`
}

type traceAsked struct {
	ID string `json:"id" jsonschema:"of a trace, an event or a message, or the first four digits or more"`
}

func orElse(limit, otherwise int) int {
	if limit <= 0 {
		return otherwise
	}
	return min(limit, 1000)
}

// looking adds the tools that only look.
func (a *assistant) looking(s *mcp.Server) {
	tool(s, "session", "The session: its process, address, Workers, and its clock.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, _ nothingAsked) (any, error) {
			p, err := c.Session(ctx)
			if err != nil {
				return nil, err
			}
			now, err := c.Clock(ctx)
			return map[string]any{"session": p, "clock": now}, err
		}))
	tool(s, "queues", "All queues with counts, consumers and settings.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, _ nothingAsked) (any, error) { return c.Queues(ctx) }))
	tool(s, "health", "Backlog, rates, retries and alerts of all queues in the last hour.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, _ nothingAsked) (any, error) { return c.Health(ctx) }))
	tool(s, "messages", "The oldest messages that wait in a queue, with their bodies. It has no effect on them.",
		looks(),
		asking(a, func(ctx context.Context, c *control.Client, in messagesAsked) (any, error) {
			return c.Find(ctx, in.Queue, control.Wanted{State: in.State, Contains: in.Contains, Limit: orElse(in.Limit,
				20)})
		}))
	tool(s, "dead_letters", "What failed for good, with the last error, its stack and where it came from.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, in deadLettersAsked) (any, error) {
			return c.DeadLetters(ctx, in.Queue, control.DeadLetterFilter{Error: in.Error, Limit: orElse(in.Limit, 20)})
		}))
	tool(s, "objects", "Durable Objects with name, state, sockets, bytes and alarm.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, in objectsAsked) (any, error) {
			return c.Objects(ctx, in.Namespace)
		}))
	tool(s, "object", "One object: its tables, and its keys with their values.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, in ofObject) (any, error) {
			o, err := c.Object(ctx, in.Namespace, in.Object)
			if err != nil {
				return nil, err
			}
			values, err := c.Storage(ctx, o.Namespace, o.ID, "", 200)
			return map[string]any{"object": o, "storage": values}, err
		}))
	tool(s, "object_sql", "Ask an object's SQLite database. It can only read.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, in sqlAsked) (any, error) {
			return c.SQL(ctx, in.Namespace, in.Object, control.SQL{SQL: in.SQL, Limit: 200})
		}))
	tool(s, "lanes", "FIFO lanes of a do-queue queue, and what blocks them.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, in lanesAsked) (any, error) {
			return c.Lanes(ctx, in.Queue, "", 200, in.Blocked)
		}))
	tool(s, "bookmarks", "Earlier states of an object to which it can go back, newest first.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, in ofObject) (any, error) {
			return c.Bookmarks(ctx, in.Namespace, in.Object, 100)
		}))
	tool(s, "crons", "The crons of the Workers, and when each fires next.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, _ nothingAsked) (any, error) { return c.Crons(ctx) }))
	tool(s, "due", "What falls due next: delays, retries, alarms, crons, sleeping workflows.", looks(),
		asking(a, func(ctx context.Context, c *control.Client, _ nothingAsked) (any, error) { return c.Due(ctx, 50) }))
	tool(s, "events", "The latest events of the Workers with log lines and exceptions, newest last.", looks(), a.events)
	tool(s, "trace", "All that one event led to, over Workers, queues and objects, as a tree.", looks(), a.trace)
}

func (a *assistant) events(ctx context.Context, in eventsAsked) (any, error) {
	dir, _, err := a.f.journals(ctx, a.env)
	if err != nil {
		return nil, err
	}
	filter := journal.Filter{Worker: in.Worker, Queue: in.Queue, Object: in.Object, Failed: in.Failed,
		Search: in.Search}
	limit := orElse(in.Limit, 20)
	var list []*journal.TailItem
	err = readJournal(a.env, dir, &filter, func(e *journal.Entry) error {
		if list = append(list, e.Item()); len(list) > 2*limit {
			list = append(list[:0:0], list[len(list)-limit:]...)
		}
		return nil
	})
	return list[max(0, len(list)-limit):], err
}

func (a *assistant) trace(ctx context.Context, in traceAsked) (any, error) {
	if len(in.ID) < 4 {
		return nil, errors.New("give at least the first four digits of the id")
	}
	dir, _, err := a.f.journals(ctx, a.env)
	if err != nil {
		return nil, err
	}
	roots, traces, err := journal.Tree(dir, in.ID, damageTold(a.env))
	switch {
	case err != nil:
		return nil, err
	case traces > 1:
		return nil, fmt.Errorf("%d traces have an id that begins with %s; give more of it", traces, in.ID)
	case len(roots) == 0:
		return nil, fmt.Errorf("no event, trace or message %s is recorded", in.ID)
	}
	return traceItems(roots), nil
}

type testsAsked struct {
	Filter  string `json:"filter,omitempty" jsonschema:"only test files whose path contains this"`
	Name    string `json:"name,omitempty" jsonschema:"only tests whose name matches this regular expression"`
	Explore int    `json:"explore,omitempty" jsonschema:"search so many orders of events for one that breaks a test"`
}

type replayAsked struct {
	File  string `json:"file" jsonschema:"a file that eddy capture has written, relative to the project"`
	Chaos bool   `json:"chaos,omitempty" jsonschema:"check that consumers are idempotent: duplicates, orders, crashes"`
}

// trying adds the tools that run the project apart from the session.
func (a *assistant) trying(s *mcp.Server) {
	tool(s, "run_tests", "Run the project's tests (vitest's form) with eddy test, or search for an order of events "+
		"that "+
		"breaks one.", runs(), func(ctx context.Context, in testsAsked) (any, error) {
		args := []string{"test", "--run"}
		if in.Name != "" {
			args = append(args, "-t", in.Name)
		}
		if in.Explore > 0 {
			args = append(args, "--explore", strconv.Itoa(in.Explore))
		}
		if in.Filter != "" {
			args = append(args, "--", in.Filter)
		}
		return a.self(ctx, args...)
	})
	tool(s, "replay", "Run captured events again and compare what becomes of them.", runs(),
		func(ctx context.Context, in replayAsked) (any, error) {
			args := []string{"replay"}
			if in.Chaos {
				args = append(args, "--chaos")
			}
			return a.self(ctx, append(args, "--", in.File)...)
		})
}
