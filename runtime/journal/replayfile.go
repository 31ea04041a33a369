package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"eddy/runtime/cause"
)

// FileVersion is the version of the lines of a capture. docs/replay.schema.json describes them.
const FileVersion = 1

// Line is one event in a capture: a line of JSON of a *.replay.jsonl file, which people read, keep and compare. Each
// line stands alone, so that a file that was cut or edited loses no more than a line.
type Line struct {
	Version  int    `json:"version"`
	Kind     Kind   `json:"kind"`
	At       string `json:"at,omitempty"` // RFC 3339 with microseconds, of the session's clock
	Worker   string `json:"worker,omitempty"`
	Exported string `json:"entrypoint,omitempty"`
	// Ignore are the paths of a line of kind ignore.
	Ignore []string `json:"ignore,omitempty"`
	// Delivery, Request, Schedule: what came, by kind.
	Queue     string        `json:"queue,omitempty"`
	Lane      string        `json:"lane,omitempty"`
	Settings  *FileSettings `json:"settings,omitempty"`
	Backlog   *FileBacklog  `json:"backlog,omitempty"`
	Messages  []FileMessage `json:"messages,omitempty"`
	Request   *FileRequest  `json:"request,omitempty"`
	Cron      string        `json:"cron,omitempty"`
	Scheduled string        `json:"scheduledTime,omitempty"`
	RPCMethod string        `json:"rpcMethod,omitempty"`
	// RPCArguments are a JSON array of what can be shown, cut with "…" where there is much.
	RPCArguments json.RawMessage `json:"rpcArguments,omitempty"`
	Retries      int             `json:"retryCount,omitempty"`
	Object       *FileObject     `json:"object,omitempty"`
	Socket       *FileSocket     `json:"socket,omitempty"`
	Workflow     *FileWorkflow   `json:"workflow,omitempty"`
	Mail         *FileMail       `json:"mail,omitempty"`
	// Reason and Stack say, of a dead letter, how its last delivery failed; Error is the text.
	Reason string `json:"reason,omitempty"`
	Stack  string `json:"stack,omitempty"`
	// Frames are what came over the WebSocket with which the event answered.
	Frames []FileFrame `json:"frames,omitempty"`
	// Random are the first 4 KB of random bytes that scripts got, eight for each Math.random(). Clock is what they saw
	// on the clock, for each of the first 256 looks, in milliseconds after the millisecond of At.
	Random []byte  `json:"random,omitempty"`
	Clock  []int64 `json:"clock,omitempty"`

	// What became of it.
	Outcome    string          `json:"outcome,omitempty"` // "" if it is not known
	WallMS     float64         `json:"wallMs"`
	CPUMS      float64         `json:"cpuMs"`
	Error      string          `json:"error,omitempty"`
	Sent       []FileSent      `json:"sent,omitempty"`
	Outgoing   []FileOutgoing  `json:"outgoing,omitempty"`
	Accesses   []FileAccess    `json:"accesses,omitempty"`
	Exceptions []FileException `json:"exceptions,omitempty"`
	Logs       []FileLog       `json:"logs,omitempty"`
	Cut        bool            `json:"cut,omitempty"`

	Trace  string   `json:"trace,omitempty"`
	Span   string   `json:"span,omitempty"`
	Parent string   `json:"parent,omitempty"`
	Links  []string `json:"links,omitempty"`
}

// Delivers tells whether the line is a batch, from a queue or a lane.
func (l *Line) Delivers() bool { return l.Kind == Queue || l.Kind == Lane }

// FileSettings are a consumer's, named as in the configuration.
type FileSettings struct {
	BatchSize       int     `json:"max_batch_size"`
	BatchTimeout    float64 `json:"max_batch_timeout"`
	MaxRetries      int     `json:"max_retries"`
	RetryDelay      int64   `json:"retry_delay,omitempty"`
	DeadLetterQueue string  `json:"dead_letter_queue,omitempty"`
}

// FileBacklog says what waited in the queue beside the batch.
type FileBacklog struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
}

// FileBody is a body: JSON where it is compact JSON, text where it is UTF-8, else base64. Exactly one is set, so that
// the bytes are always those that were delivered.
type FileBody struct {
	JSON   json.RawMessage `json:"json,omitempty"`
	Text   *string         `json:"text,omitempty"`
	Base64 *string         `json:"base64,omitempty"`
}

// FileMessage is a message of a batch or of a send.
type FileMessage struct {
	ID          string   `json:"id,omitempty"`
	Timestamp   string   `json:"timestamp,omitempty"`
	Attempts    int      `json:"attempts,omitempty"`
	ContentType string   `json:"contentType"`
	Body        FileBody `json:"body"`
	Outcome     string   `json:"outcome,omitempty"`
	Delay       *int32   `json:"delaySeconds,omitempty"`
	Cause       string   `json:"cause,omitempty"`
}

// FileRequest is the request of a fetch event.
type FileRequest struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header [][2]string `json:"headers,omitempty"`
	Status int         `json:"status,omitempty"`
	// Body is what was read of it, nil for nothing; BodyCut says that there was more than is kept.
	Body    *FileBody `json:"body,omitempty"`
	BodyCut bool      `json:"bodyCut,omitempty"`
}

// FileOutgoing is a request to the network. Without an answer and an error the event was over before.
type FileOutgoing struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header [][2]string `json:"headers,omitempty"`
	// Body is nil for an empty one; BodyCut says that there was more than is kept.
	Body    *FileBody `json:"body,omitempty"`
	BodyCut bool      `json:"bodyCut,omitempty"`
	// AfterMS is when it was made, counted from the line's At; TookMS how long the answer's head, or the error, took.
	AfterMS float64     `json:"afterMs"`
	TookMS  float64     `json:"tookMs"`
	Answer  *FileAnswer `json:"answer,omitempty"`
	Error   string      `json:"error,omitempty"`
}

// FileAnswer is an answer from the network. Its body is as it came, under the Content-Encoding that its headers name.
type FileAnswer struct {
	Status int         `json:"status"`
	Header [][2]string `json:"headers,omitempty"`
	Body   *FileBody   `json:"body,omitempty"`
	// Cut says that there was more than is kept, or that the event was over before all of it was read.
	Cut bool `json:"cut,omitempty"`
}

// FileAccess is a use of a binding or of an object's storage; see [Access].
type FileAccess struct {
	Store   string          `json:"store"`
	Binding string          `json:"binding,omitempty"`
	Op      string          `json:"op"`
	Key     string          `json:"key,omitempty"`
	Write   bool            `json:"write,omitempty"`
	Value   *FileBody       `json:"value,omitempty"`
	Cut     bool            `json:"cut,omitempty"`
	Missing bool            `json:"missing,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
	Error   string          `json:"error,omitempty"`
}

// FileSocket is what came over a hibernatable WebSocket; see [SocketEvent].
type FileSocket struct {
	Type   string    `json:"type"`
	Data   *FileBody `json:"data,omitempty"`
	Binary bool      `json:"binary,omitempty"`
	Cut    bool      `json:"cut,omitempty"`
	Code   int       `json:"code,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Tags   []string  `json:"tags,omitempty"`
	// Attachment is what the object had serialized for the socket before.
	Attachment []byte `json:"attachment,omitempty"`
}

// FileFrame is what came over a WebSocket, so many milliseconds after the line's At.
type FileFrame struct {
	AfterMS float64 `json:"afterMs"`
	FileSocket
}

// FileObject is a Durable Object.
type FileObject struct {
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
}

// FileSent is one send.
type FileSent struct {
	Queue    string        `json:"queue"`
	Messages []FileMessage `json:"messages"`
}

// FileException is an exception that nobody caught.
type FileException struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

// FileLog is a console call.
type FileLog struct {
	Level   string          `json:"level"`
	Message json.RawMessage `json:"message"`
}

// FileMail is a message that came in; see [Mail].
type FileMail struct {
	From string        `json:"from"`
	To   string        `json:"to"`
	Size int           `json:"size"`
	Text *FileBody     `json:"text,omitempty"`
	Cut  bool          `json:"cut,omitempty"`
	Did  []FileMailAct `json:"did,omitempty"`
}

// FileMailAct is one thing that email() did; see [MailAct].
type FileMailAct struct {
	Type   string    `json:"type"`
	To     string    `json:"to,omitempty"`
	Reason string    `json:"reason,omitempty"`
	Text   *FileBody `json:"text,omitempty"`
	Cut    bool      `json:"cut,omitempty"`
}

// FileWorkflow is an instance of a workflow.
type FileWorkflow struct {
	Name     string `json:"name"`
	Instance string `json:"instance"`
	Event    string `json:"event,omitempty"`
	Step     string `json:"step,omitempty"`
	Error    string `json:"error,omitempty"`
}

// FileTime is the form of times in a capture.
const FileTime = "2006-01-02T15:04:05.000000Z07:00"

// Line is the entry as a line of a capture.
func (e *Entry) Line() *Line {
	l := &Line{Version: FileVersion, Kind: e.Kind, At: e.Start().Format(FileTime), Worker: e.Worker,
		Exported: e.Entrypoint,
		Outcome:  e.Outcome, WallMS: inMS(e.Wall), CPUMS: inMS(e.CPU), RPCMethod: e.RPCMethod, Retries: e.AlarmRetries,
		Cut: e.Cut, Trace: hex.EncodeToString(e.Trace[:]), Span: hex.EncodeToString(e.Span[:])}
	if e.Parent != [8]byte{} {
		l.Parent = hex.EncodeToString(e.Parent[:])
	}
	for _, c := range e.Links {
		l.Links = append(l.Links, c.String())
	}
	if d := e.Delivery; d != nil {
		l.Queue, l.Lane, l.Error, l.Messages = d.Queue, d.Lane, d.Error, fileMessages(d.Messages)
		if l.Stack = d.Stack; e.Kind != Queue && e.Kind != Lane {
			l.Reason = d.Reason
		}
		l.Backlog = &FileBacklog{d.Backlog, d.Bytes}
		if s := d.Settings; s != nil {
			l.Settings = &FileSettings{s.BatchSize, float64(s.BatchTimeout) / 1000, s.MaxRetries, s.RetryDelay,
				s.DeadLetterQueue}
		}
	}
	if r := e.Request; r != nil {
		l.Request = &FileRequest{Method: r.Method, URL: r.URL, Status: r.Status, Header: fileHeader(r.Header),
			Body: someBody(r.Body), BodyCut: r.BodyCut}
	}
	switch {
	case e.Schedule != nil:
		l.Cron, l.Scheduled = e.Schedule.Cron, time.UnixMilli(e.Schedule.Time).UTC().Format(FileTime)
	case e.Kind == Alarm:
		l.Scheduled = time.UnixMilli(e.AlarmAt).UTC().Format(FileTime)
	}
	if o := e.Object; o != nil {
		l.Object = &FileObject{o.Namespace, o.ID, o.Name}
	}
	l.did(e)
	for _, s := range e.Sent {
		l.Sent = append(l.Sent, FileSent{s.Queue, fileMessages(s.Messages)})
	}
	for _, x := range e.Exceptions {
		l.Exceptions = append(l.Exceptions, FileException{x.Name, x.Message, x.Stack})
	}
	for _, log := range e.Logs {
		message := json.RawMessage(log.Message)
		if !json.Valid(message) {
			message, _ = json.Marshal([]string{log.Message}) // a string always marshals
		}
		l.Logs = append(l.Logs, FileLog{log.Level, message})
	}
	return l
}

// did fills in what an event asked and used, and what came to it by chance.
func (l *Line) did(e *Entry) {
	l.Random = e.Random
	for _, ms := range e.Seen() {
		l.Clock = append(l.Clock, ms-e.Start().UnixMilli())
	}
	if e.RPCArguments != "" {
		l.RPCArguments = asJSON(e.RPCArguments)
	}
	if s := e.Socket; s != nil {
		socket := s.file()
		l.Socket = &socket
	}
	for i := range e.Frames {
		f := &e.Frames[i]
		l.Frames = append(l.Frames, FileFrame{float64(f.At-e.At) / 1000, f.Event.file()})
	}
	if m := e.Mail; m != nil {
		l.Mail = &FileMail{m.From, m.To, m.Size, someBody(m.Text), m.Cut, nil}
		for _, a := range m.Did {
			l.Mail.Did = append(l.Mail.Did, FileMailAct{a.Type, a.To, a.Reason, someBody(a.Text), a.Cut})
		}
	}
	if w := e.Workflow; w != nil {
		l.Workflow = &FileWorkflow{w.Name, w.Instance, w.Event, w.Step, w.Error}
	}
	for i := range e.Outgoing {
		o := &e.Outgoing[i]
		f := FileOutgoing{Method: o.Method, URL: o.URL, Header: fileHeader(o.Header), Body: someBody(o.Body),
			BodyCut: o.BodyCut, AfterMS: float64(o.At-e.At) / 1000, TookMS: inMS(o.Took), Error: o.Error}
		if o.Status != 0 {
			f.Answer = &FileAnswer{o.Status, fileHeader(o.AnswerHeader), someBody(o.Answer), o.AnswerCut}
		}
		l.Outgoing = append(l.Outgoing, f)
	}
	for i := range e.Accesses {
		a := &e.Accesses[i]
		f := FileAccess{Store: a.Store, Binding: a.Binding, Op: a.Op, Key: a.Key, Write: a.Write,
			Value: someBody(a.Value), Cut: a.ValueCut, Missing: a.Missing, Error: a.Error}
		if a.Options != "" {
			f.Options = asJSON(a.Options)
		}
		l.Accesses = append(l.Accesses, f)
	}
}

func (s *SocketEvent) file() FileSocket {
	return FileSocket{s.Type, someBody(s.Data), s.Binary, s.Cut, s.Code, s.Reason, s.Tags, s.Attachment}
}

// asJSON is a text that should be JSON, as a JSON text if it is not.
func asJSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a text always marshals
	return quoted
}

func someBody(b []byte) *FileBody {
	if len(b) == 0 {
		return nil
	}
	f := BodyOf(b)
	return &f
}

func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func fileHeader(h map[string][]string) (list [][2]string) {
	for _, name := range sortedNames(h) {
		for _, v := range h[name] {
			list = append(list, [2]string{name, v})
		}
	}
	return list
}

func fileMessages(list []Message) []FileMessage {
	out := make([]FileMessage, len(list))
	for i := range list {
		m := &list[i]
		out[i] = FileMessage{Attempts: m.Attempts, ContentType: m.ContentType, Body: BodyOf(m.Body),
			Outcome: m.Outcome, Delay: m.Delay, Cause: m.Cause}
		if m.ID != [16]byte{} {
			out[i].ID = hex.EncodeToString(m.ID[:])
			out[i].Timestamp = time.UnixMilli(m.Timestamp).UTC().Format("2006-01-02T15:04:05.000Z07:00")
		}
	}
	return out
}

// BodyOf is the most readable form from which the same bytes come back.
func BodyOf(b []byte) FileBody {
	var compact bytes.Buffer
	if utf8.Valid(b) {
		if json.Compact(&compact, b) == nil && bytes.Equal(compact.Bytes(), b) {
			return FileBody{JSON: json.RawMessage(bytes.Clone(b))}
		}
		text := string(b)
		return FileBody{Text: &text}
	}
	text := base64.StdEncoding.EncodeToString(b)
	return FileBody{Base64: &text}
}

// Bytes are the bytes of a body.
func (b *FileBody) Bytes() ([]byte, error) {
	switch {
	case b.JSON != nil && b.Text == nil && b.Base64 == nil:
		var compact bytes.Buffer
		if err := json.Compact(&compact, b.JSON); err != nil {
			return nil, err
		}
		return compact.Bytes(), nil
	case b.Text != nil && b.JSON == nil && b.Base64 == nil:
		return []byte(*b.Text), nil
	case b.Base64 != nil && b.JSON == nil && b.Text == nil:
		return base64.StdEncoding.DecodeString(*b.Base64)
	}
	return nil, fmt.Errorf("body: expected one of json, text and base64")
}

// Marshal is the line as it stands in a file, with its end. JSON in bodies keeps its bytes.
func (l *Line) Marshal() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(l)
	return b.Bytes(), err
}

// notALine says what is wrong with a line that JSON cannot be read from, without names of this code.
func notALine(err error) error {
	var other *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &other):
		return fmt.Errorf("not a line of a capture: %w", err)
	case other.Field == "":
		return fmt.Errorf("not a line of a capture: expected an object of JSON, found: %s", other.Value)
	}
	return fmt.Errorf("not a line of a capture: %s: it cannot be of the type %s", other.Field, other.Value)
}

// ParseLine reads one line of a capture, and checks what every reader relies on.
func ParseLine(text []byte) (*Line, error) {
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, notALine(err)
	}
	if head.Version != FileVersion {
		return nil, fmt.Errorf("version %d; this release reads %d", head.Version, FileVersion)
	}
	l := new(Line)
	if err := json.Unmarshal(text, l); err != nil {
		return nil, notALine(err)
	}
	if l.Kind == Ignore {
		if len(l.Ignore) == 0 {
			return nil, fmt.Errorf("a line of kind ignore: expected ignore, a list of paths")
		}
		return l, nil
	}
	if _, err := time.Parse(time.RFC3339Nano, l.At); err != nil {
		return nil, fmt.Errorf("at %q: expected a time as 2026-11-23T12:00:00.000000Z", l.At)
	}
	for i := range l.Messages {
		m := &l.Messages[i]
		if _, err := m.Body.Bytes(); err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if id, err := hex.DecodeString(m.ID); err != nil || len(id) != 16 {
			return nil, fmt.Errorf("message %d: id %q: expected 32 hexadecimal digits", i+1, m.ID)
		}
	}
	if err := l.checkDid(); err != nil {
		return nil, err
	}
	for _, text := range l.Links {
		if !cause.Parse(text).Valid() {
			return nil, fmt.Errorf("link %q: expected a traceparent", text)
		}
	}
	return l, nil
}

// checkDid checks the bodies of what an event asked and used.
func (l *Line) checkDid() error {
	check := func(what string, b *FileBody) error {
		if b == nil {
			return nil
		}
		if _, err := b.Bytes(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if l.Request != nil {
		if err := check("request", l.Request.Body); err != nil {
			return err
		}
	}
	if l.Mail != nil {
		if err := check("mail", l.Mail.Text); err != nil {
			return err
		}
	}
	if l.Socket != nil {
		if err := check("socket", l.Socket.Data); err != nil {
			return err
		}
	}
	for i := range l.Frames {
		if err := check(fmt.Sprintf("frame %d", i+1), l.Frames[i].Data); err != nil {
			return err
		}
	}
	for i := range l.Outgoing {
		o := &l.Outgoing[i]
		what := fmt.Sprintf("outgoing request %d", i+1)
		if err := check(what, o.Body); err != nil {
			return err
		}
		if o.Answer != nil {
			if err := check(what+": answer", o.Answer.Body); err != nil {
				return err
			}
		}
	}
	for i := range l.Accesses {
		if err := check(fmt.Sprintf("access %d", i+1), l.Accesses[i].Value); err != nil {
			return err
		}
	}
	return nil
}
