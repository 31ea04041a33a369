package browser

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"

	"github.com/coder/websocket"
)

// maxMessage bounds a message of the protocol: a screenshot is one.
const maxMessage = 512 << 20

// maxChunk is how large a chunk of the older framing is: no platform socket takes more than 1 MiB.
const maxChunk = 1<<20 - 1

// connectDevtools is the older route: messages of the browser come in chunks, of which the first one has the length of
// all in front, and those of the client likewise; the text "ping" keeps the connection alive (BIND-82).
func (b *Browsers) connectDevtools(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("browser_session")
	if id == "" {
		http.Error(w, "browser_session must be set", http.StatusBadRequest)
		return
	}
	ctx, drop := context.WithCancel(context.WithoutCancel(r.Context()))
	defer drop()
	a, leave, err := b.use(id, true, drop)
	if err != nil {
		fail(w, err)
		return
	}
	defer leave()
	to, _, err := websocket.Dial(ctx, a.endpoint.String(), nil)
	if err != nil {
		fail(w, err)
		return
	}
	defer to.CloseNow() //nolint:errcheck // it has ended
	w.Header().Set("Cf-Browser-Session-Id", id)
	from, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true,
		CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // it was answered
	}
	defer from.CloseNow() //nolint:errcheck // it has ended
	to.SetReadLimit(maxMessage)
	from.SetReadLimit(maxMessage)
	go func() {
		defer drop()
		for {
			_, message, err := to.Read(ctx)
			if err != nil {
				return
			}
			framed := append(binary.LittleEndian.AppendUint32(nil, uint32(len(message))), message...)
			for len(framed) > 0 {
				n := min(len(framed), maxChunk)
				if from.Write(ctx, websocket.MessageBinary, framed[:n]) != nil {
					return
				}
				framed = framed[n:]
			}
		}
	}()
	var u unframer
	for {
		kind, chunk, err := from.Read(ctx)
		if err != nil {
			return
		}
		if kind == websocket.MessageText {
			continue // "ping"
		}
		messages, err := u.add(chunk)
		if err != nil {
			_ = from.Close(websocket.StatusPolicyViolation, err.Error()) // it ends either way
			return
		}
		for _, m := range messages {
			if to.Write(ctx, websocket.MessageText, m) != nil {
				return
			}
		}
	}
}

// unframer puts messages together from chunks.
type unframer struct{ have []byte }

func (u *unframer) add(chunk []byte) (messages [][]byte, err error) {
	u.have = append(u.have, chunk...)
	for len(u.have) >= 4 {
		n := int64(binary.LittleEndian.Uint32(u.have))
		if n > maxMessage {
			return nil, errors.New("a message of the DevTools protocol is too long")
		}
		if int64(len(u.have)-4) < n {
			break
		}
		messages = append(messages, append([]byte{}, u.have[4:4+n]...))
		u.have = u.have[4+n:]
	}
	return messages, nil
}
