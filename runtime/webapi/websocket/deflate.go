package websocket

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"sync"
)

// deflation is what the two sides have agreed on permessage-deflate (RFC 7692). Messages that we send never refer to
// earlier ones, which is always allowed; messages that we receive may.
type deflation struct {
	on bool
	// window keeps the last 32 KiB that were received, if the peer's messages may refer to them.
	keep   bool
	window []byte
	reader io.ReadCloser
}

const (
	windowSize = 32 << 10
	// compressFrom is the size in bytes from which on a message is compressed.
	compressFrom = 256
)

// deflateTail ends the stream that RFC 7692, section 7.2.1, cuts off a message; the second part makes it final.
const deflateTail = "\x00\x00\xff\xff\x01\x00\x00\xff\xff"

var flateWriters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		panic(err)
	}
	return w
}}

func deflate(p []byte) []byte {
	var buf bytes.Buffer
	w := flateWriters.Get().(*flate.Writer)
	defer flateWriters.Put(w)
	w.Reset(&buf)
	// Writing into memory does not fail.
	_, _ = w.Write(p)
	_ = w.Flush()
	return bytes.TrimSuffix(buf.Bytes(), []byte(deflateTail[:4]))
}

// inflate undoes deflate, up to limit bytes.
func (d *deflation) inflate(p []byte, limit int) ([]byte, error) {
	src := io.MultiReader(bytes.NewReader(p), strings.NewReader(deflateTail))
	if d.reader == nil {
		d.reader = flate.NewReaderDict(src, d.window)
	} else if err := d.reader.(flate.Resetter).Reset(src, d.window); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	n, err := out.ReadFrom(io.LimitReader(d.reader, int64(limit)+1))
	if err != nil {
		return nil, &ProtocolError{Code: 1007, Description: "Message is not well compressed"}
	}
	if n > int64(limit) {
		return nil, errTooLarge
	}
	if d.keep {
		d.window = append(d.window, out.Bytes()...)
		if extra := len(d.window) - windowSize; extra > 0 {
			d.window = append(d.window[:0], d.window[extra:]...)
		}
	}
	return out.Bytes(), nil
}

var errTooLarge = &ProtocolError{Code: 1009, Description: "Message is too large"}

// extension is one offered or agreed extension.
type extension struct {
	name   string
	params map[string]string
}

// parseExtensions reads Sec-WebSocket-Extensions.
func parseExtensions(header []string) []extension {
	var out []extension
	for _, offer := range strings.Split(strings.Join(header, ","), ",") {
		parts := strings.Split(offer, ";")
		e := extension{name: strings.ToLower(strings.TrimSpace(parts[0])), params: map[string]string{}}
		for _, p := range parts[1:] {
			name, value, _ := strings.Cut(p, "=")
			e.params[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(value), `"`)
		}
		if e.name != "" {
			out = append(out, e)
		}
	}
	return out
}

// agree chooses among a client's offers; answer is the header to send back, empty when there is no compression.
func agree(header []string) (d deflation, answer string) {
	for _, e := range parseExtensions(header) {
		if e.name != "permessage-deflate" {
			continue
		}
		ok := true
		for name, value := range e.params {
			switch name {
			case "server_no_context_takeover", "client_no_context_takeover", "client_max_window_bits":
			case "server_max_window_bits":
				// The compressor cannot be held to a smaller window.
				ok = ok && value == "15"
			default:
				ok = false
			}
		}
		if ok {
			return deflation{on: true}, "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
		}
	}
	return deflation{}, ""
}

// agreed reads a server's answer to the offer "permessage-deflate".
func agreed(header []string) (deflation, bool) {
	var d deflation
	for _, e := range parseExtensions(header) {
		if e.name != "permessage-deflate" || d.on {
			return deflation{}, false
		}
		_, none := e.params["server_no_context_takeover"]
		d = deflation{on: true, keep: !none}
	}
	return d, true
}
