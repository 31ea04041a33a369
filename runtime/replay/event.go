package replay

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"eddy/queues"
	"eddy/runtime/journal"
)

// contentTypes by their names in files.
var contentTypes = map[string]queues.ContentType{"text": queues.ContentText, "bytes": queues.ContentBytes,
	"json": queues.ContentJSON, "v8": queues.ContentV8}

// message is a message of a file as the broker delivers it.
func message(m *journal.FileMessage) (out queues.Message, err error) {
	id, err := hex.DecodeString(m.ID)
	if err != nil || len(id) != len(out.ID) {
		return out, fmt.Errorf("id %q: expected 32 hexadecimal digits", m.ID)
	}
	copy(out.ID[:], id)
	if out.Timestamp, err = time.Parse(time.RFC3339Nano, m.Timestamp); err != nil {
		return out, fmt.Errorf("timestamp %q: expected a time as 2026-11-23T12:00:00.000Z", m.Timestamp)
	}
	if out.Attempts = m.Attempts; m.Attempts < 1 {
		return out, fmt.Errorf("attempts %d: expected 1 or more", m.Attempts)
	}
	var known bool
	if out.ContentType, known = contentTypes[m.ContentType]; !known {
		return out, fmt.Errorf("contentType %q: expected text, bytes, json or v8", m.ContentType)
	}
	out.Body, err = m.Body.Bytes()
	return out, err
}

// batch makes the delivery of a line that [check] has accepted. trace is the cause of every message.
func batch(l *journal.Line, trace string) (*queues.Batch, error) {
	b := &queues.Batch{Queue: l.Queue}
	if l.Backlog != nil {
		b.Metrics.BacklogCount, b.Metrics.BacklogBytes = l.Backlog.Count, l.Backlog.Bytes
	}
	if s := l.Settings; s != nil {
		b.Settings = queues.DefaultConsumer(l.Queue, queues.WorkerConsumer)
		b.Settings.MaxBatchSize, b.Settings.MaxRetries = s.BatchSize, s.MaxRetries
		b.Settings.MaxBatchTimeout = time.Duration(s.BatchTimeout * float64(time.Second))
		b.Settings.RetryDelay = time.Duration(s.RetryDelay) * time.Second
		b.Settings.DeadLetterQueue = s.DeadLetterQueue
	}
	for i := range l.Messages {
		m, err := message(&l.Messages[i])
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		m.Trace = trace
		b.Messages = append(b.Messages, m)
	}
	return b, nil
}

// deadLetter makes the dead letter of a line that [check] has accepted. trace is its cause.
func deadLetter(l *journal.Line, trace string) (*queues.LaneDeadLetter, error) {
	m, err := message(&l.Messages[0])
	if err != nil {
		return nil, err
	}
	m.Trace = trace
	return &queues.LaneDeadLetter{Queue: l.Queue, Key: l.Lane, Message: m, Try: 1,
		Failure: queues.DeadLetter{Source: l.Queue, Reason: l.Reason, Error: l.Error, Stack: l.Stack,
			Attempts: m.Attempts}}, nil
}

// request is the request of a line.
func request(l *journal.Line) (*http.Request, error) {
	u, err := url.Parse(l.Request.URL)
	if err != nil || u.Host == "" || l.Request.Method == "" {
		return nil, fmt.Errorf("request: expected a method and the whole URL, not %q %q", l.Request.Method,
			l.Request.URL)
	}
	req := &http.Request{Method: l.Request.Method, URL: u, Host: u.Host, Header: http.Header{}, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	for _, h := range l.Request.Header {
		req.Header.Add(h[0], h[1])
	}
	req.Header.Del("Traceparent") // of a trace that is over
	req.Header.Del("Content-Length")
	if l.Request.Body != nil {
		text, err := l.Request.Body.Bytes()
		if err != nil {
			return nil, fmt.Errorf("request: %w", err)
		}
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	}
	return req, nil
}
