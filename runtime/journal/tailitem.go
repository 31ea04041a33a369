package journal

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// TailItem is an entry in the shape that wrangler tail prints. Eddy is what eddy has beside it.
type TailItem struct {
	WallTime       int64           `json:"wallTime"`
	CPUTime        int64           `json:"cpuTime"`
	Truncated      bool            `json:"truncated"`
	ExecutionModel string          `json:"executionModel"`
	Outcome        string          `json:"outcome"`
	ScriptName     string          `json:"scriptName"`
	Entrypoint     string          `json:"entrypoint,omitempty"`
	ObjectID       string          `json:"durableObjectId,omitempty"`
	Diagnostics    []struct{}      `json:"diagnosticsChannelEvents"`
	Exceptions     []TailException `json:"exceptions"`
	Logs           []TailLog       `json:"logs"`
	EventTimestamp int64           `json:"eventTimestamp"`
	Event          any             `json:"event"`
	Eddy           TailIDs         `json:"eddy"`
}

// TailException is an exception in a TailItem.
type TailException struct {
	Name      string `json:"name"`
	Message   string `json:"message"`
	Stack     string `json:"stack,omitempty"`
	Timestamp int64  `json:"timestamp"`
}

// TailLog is a console call in a TailItem.
type TailLog struct {
	Message   json.RawMessage `json:"message"`
	Level     string          `json:"level"`
	Timestamp int64           `json:"timestamp"`
}

// TailIDs are the ids of an event: its trace, its span, the span that caused it, and its messages.
type TailIDs struct {
	Trace    string        `json:"trace"`
	Span     string        `json:"span"`
	Parent   string        `json:"parent,omitempty"`
	Messages []TailMessage `json:"messages,omitempty"`
	Spans    []TailSpan    `json:"spans,omitempty"`
}

// TailSpan is a span that the script has opened. Times are in microseconds.
type TailSpan struct {
	Span       string                     `json:"span"`
	Parent     string                     `json:"parent"`
	Name       string                     `json:"name"`
	Start      int64                      `json:"start"`
	Took       int64                      `json:"took"`
	Attributes map[string]json.RawMessage `json:"attributes,omitempty"`
	Status     string                     `json:"status,omitempty"`
	Message    string                     `json:"message,omitempty"`
	Exceptions []TailException            `json:"exceptions,omitempty"`
}

// TailMessage is a message of a delivery, without its body.
type TailMessage struct {
	ID       string `json:"id"`
	Attempts int    `json:"attempts"`
	Outcome  string `json:"outcome,omitempty"`
	Delay    *int32 `json:"delaySeconds,omitempty"`
}

// Item is the entry in the shape of wrangler tail.
func (e *Entry) Item() *TailItem {
	t := &TailItem{WallTime: e.Wall.Milliseconds(), CPUTime: e.CPU.Milliseconds(), Truncated: e.Cut,
		ExecutionModel: "stateless", Outcome: e.Outcome, ScriptName: e.Worker, Entrypoint: e.Entrypoint,
		Diagnostics: []struct{}{}, Exceptions: []TailException{}, Logs: []TailLog{},
		EventTimestamp: e.At / 1000, Event: e.event(),
		Eddy: TailIDs{Trace: hex.EncodeToString(e.Trace[:]), Span: hex.EncodeToString(e.Span[:])}}
	if e.Parent != [8]byte{} {
		t.Eddy.Parent = hex.EncodeToString(e.Parent[:])
	}
	if e.Object != nil {
		t.ExecutionModel, t.ObjectID = "durableObject", e.Object.ID
	}
	for _, x := range e.Exceptions {
		t.Exceptions = append(t.Exceptions, TailException{x.Name, x.Message, x.Stack, x.At})
	}
	for _, l := range e.Logs {
		message := json.RawMessage(l.Message)
		if !json.Valid(message) {
			message, _ = json.Marshal([]string{l.Message}) // a string always marshals
		}
		t.Logs = append(t.Logs, TailLog{message, l.Level, l.At})
	}
	for i := range e.Spans {
		t.Eddy.Spans = append(t.Eddy.Spans, e.Spans[i].item())
	}
	if e.Delivery != nil {
		for i := range e.Delivery.Messages {
			m := &e.Delivery.Messages[i]
			t.Eddy.Messages = append(t.Eddy.Messages,
				TailMessage{hex.EncodeToString(m.ID[:]), m.Attempts, m.Outcome, m.Delay})
		}
	}
	return t
}

// event is what came, in the platform's words.
func (e *Entry) event() any {
	switch {
	case e.Request != nil:
		return tailFetch(e.Request)
	case e.Delivery != nil:
		return struct {
			BatchSize int    `json:"batchSize"`
			Queue     string `json:"queue"`
		}{len(e.Delivery.Messages), e.Delivery.Queue}
	case e.Schedule != nil:
		return struct {
			Cron string `json:"cron"`
			Time int64  `json:"scheduledTime"`
		}{e.Schedule.Cron, e.Schedule.Time}
	case e.Mail != nil:
		return struct {
			From string `json:"mailFrom"`
			To   string `json:"rcptTo"`
			Size int    `json:"rawSize"`
		}{e.Mail.From, e.Mail.To, e.Mail.Size}
	case e.Kind == Alarm:
		return struct {
			Time string `json:"scheduledTime"`
		}{time.UnixMilli(e.AlarmAt).UTC().Format("2006-01-02T15:04:05.000Z")}
	case e.Socket != nil:
		return struct {
			Event any `json:"getWebSocketEvent"`
		}{e.Socket.tailEvent()}
	case e.Kind == InstanceEvent && e.Workflow != nil:
		return struct {
			Workflow string `json:"workflowName"`
			Instance string `json:"instanceId"`
			Type     string `json:"type"`
			Step     string `json:"stepName,omitempty"`
			Error    string `json:"error,omitempty"`
		}{e.Workflow.Name, e.Workflow.Instance, e.Workflow.Event, e.Workflow.Step, e.Workflow.Error}
	case e.Kind == RPC:
		return struct {
			Method string `json:"rpcMethod"`
		}{e.RPCMethod}
	}
	return nil
}

// tailEvent is a socket's event in the platform's words.
func (s *SocketEvent) tailEvent() any {
	if s.Type != "close" {
		return struct {
			Type string `json:"webSocketEventType"`
		}{s.Type}
	}
	return struct {
		Type     string `json:"webSocketEventType"`
		Code     int    `json:"code"`
		WasClean bool   `json:"wasClean"`
	}{s.Type, s.Code, s.Code != 1006}
}

func tailFetch(r *Request) any {
	type request struct {
		CF      json.RawMessage   `json:"cf,omitempty"`
		Headers map[string]string `json:"headers"`
		Method  string            `json:"method"`
		URL     string            `json:"url"`
	}
	type response struct {
		Status int `json:"status"`
	}
	out := struct {
		Request  request   `json:"request"`
		Response *response `json:"response,omitempty"`
	}{Request: request{Headers: map[string]string{}, Method: r.Method, URL: r.URL}}
	if json.Valid([]byte(r.CF)) {
		out.Request.CF = json.RawMessage(r.CF)
	}
	for _, name := range sortedNames(r.Header) {
		out.Request.Headers[strings.ToLower(name)] = strings.Join(r.Header[name], ", ")
	}
	if r.Status != 0 {
		out.Response = &response{r.Status}
	}
	return out
}

func sortedNames(h map[string][]string) []string { return slices.Sorted(maps.Keys(h)) }

func (s *NamedSpan) item() TailSpan {
	t := TailSpan{Span: hex.EncodeToString(s.ID[:]), Parent: hex.EncodeToString(s.Parent[:]), Name: s.Name, Start: s.At,
		Took: s.Took.Microseconds(), Status: s.Status, Message: s.Message}
	for _, a := range s.Attributes {
		if value := json.RawMessage(a.Value); json.Valid(value) {
			if t.Attributes == nil {
				t.Attributes = map[string]json.RawMessage{}
			}
			t.Attributes[a.Name] = value
		}
	}
	for _, x := range s.Exceptions {
		t.Exceptions = append(t.Exceptions, TailException{x.Name, x.Message, x.Stack, x.At})
	}
	return t
}
