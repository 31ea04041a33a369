package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/coder/websocket"
)

// conn is a connection that speaks the DevTools protocol, one command at a time. Events that come meanwhile are kept
// for await.
type conn struct {
	ws      *websocket.Conn
	session string // of the page, in front of which there is none
	number  int
	events  []event
}

type event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func dial(ctx context.Context, endpoint string) (*conn, error) {
	ws, _, err := websocket.Dial(ctx, endpoint, nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(maxMessage)
	return &conn{ws: ws}, nil
}

// message is what the browser sends: an answer if it has an id, else an event.
type message struct {
	event
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func (c *conn) read(ctx context.Context) (m message, err error) {
	_, data, err := c.ws.Read(ctx)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(data, &m)
}

// call sends a command and reads its result into out, if that is not nil.
func (c *conn) call(ctx context.Context, method string, params, out any) error {
	c.number++
	if params == nil {
		params = struct{}{}
	}
	data, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
		Session string `json:"sessionId,omitempty"`
	}{c.number, method, params, c.session})
	if err != nil {
		return err
	}
	if err := c.ws.Write(ctx, websocket.MessageText, data); err != nil {
		return err
	}
	for {
		m, err := c.read(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.ID == 0:
			c.events = append(c.events, m.event)
		case m.ID != c.number:
			// the answer to a command that nobody waits for any more
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case out == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, out)
		}
	}
}

// await reads events until one is what is waited for.
func (c *conn) await(ctx context.Context, is func(event) bool) error {
	for {
		for len(c.events) > 0 {
			e := c.events[0]
			c.events = c.events[1:]
			if is(e) {
				return nil
			}
		}
		m, err := c.read(ctx)
		if err != nil {
			return err
		}
		if m.ID == 0 {
			c.events = append(c.events, m.event)
		}
	}
}

// evaluate runs an expression in the page, awaits it, and reads its value into out.
func (c *conn) evaluate(ctx context.Context, expression string, out any) error {
	var r struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	if err := c.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true,
		"returnByValue": true}, &r); err != nil {
		return err
	}
	if e := r.Exception; e != nil {
		return errors.New(e.Text + " " + e.Exception.Description)
	}
	if out == nil || len(r.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(r.Result.Value, out)
}
