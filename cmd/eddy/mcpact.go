package main

import (
	"context"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"eddy/runtime/control"
)

type sendAsked struct {
	Queue  string   `json:"queue" jsonschema:"name of the queue"`
	Bodies []string `json:"bodies" jsonschema:"the bodies, one message each"`
	Type   string   `json:"content_type,omitempty" jsonschema:"json or text; json without"`
	Delay  *int64   `json:"delay_seconds,omitempty" jsonschema:"seconds"`
}

type pauseAsked struct {
	Queue  string `json:"queue" jsonschema:"name of the queue"`
	Paused bool   `json:"paused" jsonschema:"false lets deliveries go on"`
}

type deadLetterAsked struct {
	Queue  string   `json:"queue" jsonschema:"the dead letter queue"`
	Action string   `json:"action" jsonschema:"replay, skip or escalate"`
	IDs    []string `json:"ids,omitempty" jsonschema:"of the messages; with none, those whose error matches"`
	Error  string   `json:"error,omitempty" jsonschema:"what the last error contains; without ids and error: all"`
	To     string   `json:"to,omitempty" jsonschema:"with replay: another queue than that of origin"`
	Note   string   `json:"note,omitempty" jsonschema:"why, for the operator's log"`
}

type editAsked struct {
	Queue string `json:"queue" jsonschema:"the dead letter queue"`
	ID    string `json:"id" jsonschema:"of the message"`
	Body  string `json:"body" jsonschema:"the new body"`
	Type  string `json:"content_type,omitempty" jsonschema:"json or text; as it was without"`
	Note  string `json:"note,omitempty" jsonschema:"why, for the operator's log"`
}

type alarmAsked struct {
	ofObject
	Action string `json:"action" jsonschema:"fire or delete"`
}

type laneAsked struct {
	Queue  string `json:"queue" jsonschema:"name of the queue"`
	Key    string `json:"key" jsonschema:"of the lane"`
	Action string `json:"action" jsonschema:"retry or remove"`
	ID     string `json:"id,omitempty" jsonschema:"with remove: of the message that blocks the lane"`
	Note   string `json:"note,omitempty" jsonschema:"with remove: why, for the operator's log"`
}

type restoreAsked struct {
	ofObject
	Bookmark string `json:"bookmark" jsonschema:"one that the tool bookmarks has listed"`
}

type cronAsked struct {
	Worker string `json:"worker" jsonschema:"name of the Worker"`
	Cron   string `json:"cron" jsonschema:"as the configuration has it"`
}

type timeAsked struct {
	By string `json:"by" jsonschema:"a duration such as 90s or 2h, or next for the next event, or idle"`
}

type writingSQL struct {
	ofObject
	SQL string `json:"sql" jsonschema:"statements, which may write"`
}

// acting adds the tools that change the session.
func (a *assistant) acting(s *mcp.Server) {
	tool(s, "send", "Send messages to a queue.", acts(false),
		asking(a, func(ctx context.Context, c *control.Client, in sendAsked) (any, error) {
			send := control.Send{DelaySec: in.Delay}
			for i := range in.Bodies {
				send.Messages = append(send.Messages, control.MessageBody{ContentType: in.Type, Text: &in.Bodies[i]})
			}
			return c.Send(ctx, in.Queue, send)
		}))
	tool(s, "pause", "Stop the deliveries of a queue, or let them go on.", acts(false),
		asking(a, func(ctx context.Context, c *control.Client, in pauseAsked) (any, error) {
			return c.Pause(ctx, in.Queue, in.Paused)
		}))
	tool(s, "deliver_now", "Deliver now what waits in a queue for its time or for a whole batch.", acts(false),
		asking(a, func(ctx context.Context, c *control.Client, in ofQueue) (any, error) {
			return c.Deliver(ctx, in.Queue, nil)
		}))
	tool(s, "purge", "Delete all messages of a queue.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in ofQueue) (any, error) {
			return c.Purge(ctx,
				in.Queue)
		}))
	tool(s, "settle_dead_letters", "Replay, skip or escalate dead letters.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in deadLetterAsked) (any, error) {
			switch in.Action {
			case "replay", "skip", "escalate":
			default:
				return nil, fmt.Errorf("action %q: expected replay, skip or escalate", in.Action)
			}
			return c.Act(ctx, in.Queue, in.Action, control.DeadLetterAction{To: in.To, Note: in.Note,
				DeadLetterFilter: control.DeadLetterFilter{IDs: in.IDs, Error: in.Error}})
		}))
	tool(s, "edit_dead_letter", "Replace the body of a dead letter.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in editAsked) (any, error) {
			err := c.Edit(ctx, in.Queue, control.Edit{ID: in.ID, Note: in.Note,
				MessageBody: control.MessageBody{ContentType: in.Type, Text: &in.Body}})
			return "edited " + in.ID, err
		}))
	tool(s, "alarm", "Fire or delete the alarm of an object.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in alarmAsked) (any, error) {
			switch in.Action {
			case "fire":
				return c.FireAlarm(ctx, in.Namespace, in.Object)
			case "delete":
				return c.DropAlarm(ctx, in.Namespace, in.Object)
			}
			return nil, fmt.Errorf("action %q: expected fire or delete", in.Action)
		}))
	tool(s, "evict", "Take an object out of memory.", acts(false),
		asking(a, func(ctx context.Context, c *control.Client, in ofObject) (any, error) {
			return c.Evict(ctx, in.Namespace, in.Object, false)
		}))
	tool(s, "object_sql_write", "Run SQL that may write on an object's database.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in writingSQL) (any, error) {
			return c.SQL(ctx, in.Namespace, in.Object, control.SQL{SQL: in.SQL, Write: true, Limit: 200})
		}))
	tool(s, "settle_lane", "End the back-off of a lane, or remove the message that blocks it.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in laneAsked) (any, error) {
			switch in.Action {
			case "retry":
				return "retried " + in.Key, c.LaneDeliver(ctx, in.Queue, in.Key)
			case "remove":
				return "removed " + in.ID, c.LaneRemove(ctx, in.Queue,
					control.LaneRemoval{Key: in.Key, ID: in.ID, Note: in.Note})
			}
			return nil, fmt.Errorf("action %q: expected retry or remove", in.Action)
		}))
	tool(s, "restore_object", "Make an object what it was at a bookmark. What is in progress in it fails.", acts(true),
		asking(a, func(ctx context.Context, c *control.Client, in restoreAsked) (any, error) {
			return c.Restore(ctx, in.Namespace, in.Object, in.Bookmark)
		}))
	tool(s, "run_cron", "Run a cron of a Worker now.", acts(false),
		asking(a, func(ctx context.Context, c *control.Client, in cronAsked) (any, error) {
			return "ran " + in.Cron, c.RunCron(ctx, in.Worker, in.Cron)
		}))
	tool(s, "advance_time", "Move the time of a session that runs with --time=virtual.", acts(false),
		asking(a, func(ctx context.Context, c *control.Client, in timeAsked) (any, error) {
			switch in.By {
			case "next":
				return c.NextEvent(ctx)
			case "idle":
				return c.UntilIdle(ctx)
			}
			d, err := time.ParseDuration(in.By)
			if err != nil {
				return nil, fmt.Errorf("%q: expected a duration such as 90s, next or idle", in.By)
			}
			return c.Advance(ctx, d)
		}))
}
