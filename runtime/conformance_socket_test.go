package runtime

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// socketCall plays the steps of a call WS PATH | step; step … over a connection of its own and writes the frames that
// come back. It speaks the protocol by hand, so that it hides nothing: a close is never answered by itself. Steps: send
// TEXT, binary HEX, ping TEXT, close [CODE [REASON]], recv (one frame), end (the connection ends), cut (without a
// close).
func socketCall(t *testing.T, base, path, steps string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// A frame that never comes is shown as such; nothing else depends on the time.
	if err := conn.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\n"+
		"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", res.StatusCode, res.Header.Get("Sec-WebSocket-Accept"))
	if res.StatusCode != http.StatusSwitchingProtocols {
		return out.String()
	}
	for _, step := range strings.Split(steps, "; ") {
		verb, arg, _ := strings.Cut(strings.TrimSpace(step), " ")
		var payload []byte
		opcode := byte(1)
		switch verb {
		case "recv":
			fmt.Fprintln(&out, readFrame(r))
			continue
		case "end":
			got, err := r.ReadByte()
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(&out, "not the end: %x %v\n", got, err)
			}
			continue
		case "cut":
			_ = conn.Close()
			continue
		case "send":
			payload = []byte(arg)
		case "binary":
			opcode = 2
			if payload, err = hex.DecodeString(arg); err != nil {
				t.Fatal(err)
			}
		case "ping":
			opcode, payload = 9, []byte(arg)
		case "close":
			opcode = 8
			if code, reason, _ := strings.Cut(arg, " "); code != "" {
				n, err := strconv.ParseUint(code, 10, 16)
				if err != nil {
					t.Fatal(err)
				}
				payload = append(binary.BigEndian.AppendUint16(nil, uint16(n)), reason...)
			}
		default:
			t.Fatalf("no such step: %s", step)
		}
		// A mask of zeros leaves the payload as it is.
		if _, err := conn.Write(append([]byte{0x80 | opcode, 0x80 | byte(len(payload)), 0, 0, 0, 0},
			payload...)); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// readFrame describes the next frame from a server.
func readFrame(r *bufio.Reader) string {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "nothing came"
		}
		return "the connection ended"
	}
	length := uint64(head[1] & 0x7f)
	switch length {
	case 126:
		var b [2]byte
		_, _ = io.ReadFull(r, b[:])
		length = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		return "a very long frame"
	}
	payload := make([]byte, length)
	if _, err := io.ReadFull(r, payload); err != nil {
		return "the connection ended inside a frame"
	}
	switch head[0] {
	case 0x81:
		return "text " + string(payload)
	case 0x82:
		return "binary " + hex.EncodeToString(payload)
	case 0x8a:
		return "pong " + string(payload)
	case 0x88:
		if len(payload) < 2 {
			return "close"
		}
		return fmt.Sprintf("close %d %s", binary.BigEndian.Uint16(payload), payload[2:])
	}
	return fmt.Sprintf("frame %x %x", head[0], payload)
}
