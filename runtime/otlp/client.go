package otlp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/net/http/httpguts"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// client sends spans to a collector by HTTP, as protobuf. It implements otlptrace.Client. The one that comes with
// otlptrace, otlptracehttp, would link gRPC: a twentieth of the program, for everybody who never exports a span.
type client struct {
	url     string
	headers map[string]string
	http    *http.Client
}

func newClient(to string) (*client, error) {
	headers, err := extraHeaders(os.Getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	if err != nil {
		return nil, err
	}
	return &client{to, headers,
		&http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(), Timeout: exportTimeout}}, nil
}

// extraHeaders reads what OTEL_EXPORTER_OTLP_HEADERS has: key=value pairs with commas between them, each
// percent-encoded.
func extraHeaders(text string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %q: expected NAME=VALUE, such as "+
				"authorization=Basic%%20abc",
				pair)
		}
		headers[name] = value
	}
	return headers, nil
}

// Start does nothing.
func (c *client) Start(context.Context) error { return nil }

// Stop closes the connections that wait.
func (c *client) Stop(context.Context) error {
	c.http.CloseIdleConnections()
	return nil
}

// maxAnswer is how much of a collector's answer is read.
const maxAnswer = 64 << 10

// UploadTraces sends one request. TracesData has the form of ExportTraceServiceRequest on the wire: OTLP promises that
// both carry the list under number 1.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range c.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	_ = res.Body.Close() // what was sent was sent
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return fmt.Errorf("%s: %s", res.Status, strings.TrimSpace(string(answer)))
	case err != nil:
		return err
	case res.Header.Get("Content-Type") == "application/x-protobuf":
		return refused(answer)
	}
	return nil
}

// refused reads an ExportTraceServiceResponse, of which field 1 is the partial success: the number of spans that the
// collector refused (field 1), and why (field 2). A collector may also warn without refusing any.
func refused(answer []byte) error {
	var spans uint64
	var reason string
	for n, v := range fields(answer) {
		if n != 1 {
			continue
		}
		for n, v := range fields(v.bytes) {
			switch n {
			case 1:
				spans = v.number
			case 2:
				reason = string(v.bytes)
			}
		}
	}
	if spans == 0 && reason == "" {
		return nil
	}
	return fmt.Errorf("it refused %d spans: %s", spans, reason)
}

// value is a field of a protobuf message: a number, or bytes.
type value struct {
	number uint64
	bytes  []byte
}

// fields are the numbers and bytes in a protobuf message, up to what is malformed.
func fields(b []byte) iter.Seq2[protowire.Number, value] {
	return func(yield func(protowire.Number, value) bool) {
		for len(b) > 0 {
			number, kind, n := protowire.ConsumeTag(b)
			if n < 0 {
				return
			}
			size := protowire.ConsumeFieldValue(number, kind, b[n:])
			if size < 0 {
				return
			}
			var v value
			switch kind {
			case protowire.VarintType:
				v.number, _ = protowire.ConsumeVarint(b[n:])
			case protowire.BytesType:
				v.bytes, _ = protowire.ConsumeBytes(b[n:])
			}
			if b = b[n+size:]; !yield(number, v) {
				return
			}
		}
	}
}
