package websocket

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1" // the protocol's own choice
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"
	"time"
)

const keyGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + keyGUID)) // the protocol's own choice
	return base64.StdEncoding.EncodeToString(sum[:])
}

// IsUpgrade tells whether a request asks for a WebSocket.
func IsUpgrade(r *http.Request) bool { return hasToken(r.Header, "Upgrade", "websocket") }

func hasToken(h http.Header, name, token string) bool {
	for _, v := range h.Values(name) {
		for t := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(t), token) {
				return true
			}
		}
	}
	return false
}

// Accept answers a WebSocket request with 101 and takes the connection over. header is that of the Worker's response;
// its Sec-WebSocket-Protocol is the protocol that the sockets agree on. compress allows permessage-deflate. If the
// request is no proper handshake, Accept answers it with an error and returns that error.
func Accept(w http.ResponseWriter, r *http.Request, header http.Header, compress bool) (*Conn, error) {
	key := r.Header.Get("Sec-Websocket-Key")
	raw, err := base64.StdEncoding.DecodeString(key)
	switch {
	case !hasToken(r.Header, "Connection", "upgrade") || !IsUpgrade(r) || r.Method != http.MethodGet:
		return nil, refuse(w, http.StatusUpgradeRequired, "not a WebSocket handshake")
	case r.Header.Get("Sec-Websocket-Version") != "13":
		w.Header().Set("Sec-WebSocket-Version", "13")
		return nil, refuse(w, http.StatusUpgradeRequired, "unsupported WebSocket version")
	case err != nil || len(raw) != 16:
		return nil, refuse(w, http.StatusBadRequest, "Sec-WebSocket-Key is not 16 bytes in base64")
	}
	var d deflation
	extensions := ""
	if compress {
		d, extensions = agree(r.Header.Values("Sec-Websocket-Extensions"))
	}
	rc := http.NewResponseController(w)
	netConn, rw, err := rc.Hijack()
	if err != nil {
		return nil, refuse(w, http.StatusInternalServerError, "this connection cannot carry a WebSocket: "+err.Error())
	}
	// The deadlines that the server has set were for the request.
	if err := netConn.SetDeadline(time.Time{}); err != nil {
		_ = netConn.Close()
		return nil, err
	}
	out := header.Clone()
	if out == nil {
		out = http.Header{}
	}
	for _, name := range []string{
		"Upgrade", "Connection", "Sec-Websocket-Accept", "Sec-Websocket-Extensions", "Content-Length", "Content-Type",
		"Transfer-Encoding"} {
		out.Del(name)
	}
	if out.Get("Sec-Websocket-Protocol") == "" {
		out.Del("Sec-Websocket-Protocol") // clients refuse an empty header
	}
	var b strings.Builder
	b.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + acceptKey(key) + "\r\n")
	if extensions != "" {
		b.WriteString("Sec-WebSocket-Extensions: " + extensions + "\r\n")
	}
	if err := out.Write(&b); err != nil {
		_ = netConn.Close()
		return nil, err
	}
	b.WriteString("\r\n")
	if _, err := netConn.Write([]byte(b.String())); err != nil {
		_ = netConn.Close()
		return nil, fmt.Errorf("websocket handshake with %s: %w", r.RemoteAddr, err)
	}
	c := newConn(netConn, rw.Reader, false, d)
	c.Protocol, c.Extensions = header.Get("Sec-Websocket-Protocol"), extensions
	return c, nil
}

func refuse(w http.ResponseWriter, status int, text string) error {
	http.Error(w, text, status)
	return errors.New("websocket handshake: " + text)
}

// Dial opens a WebSocket with a GET to an http: or https: URL. When the server does not answer with 101, conn is nil
// and the response is the caller's.
func Dial(ctx context.Context, rt http.RoundTripper, url, hostname string, header http.Header) (
	conn *Conn, res *http.Response, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	var raw [16]byte
	_, _ = rand.Read(raw[:])
	key := base64.StdEncoding.EncodeToString(raw[:])
	req.Header = header.Clone()
	if hostname != "" {
		req.Host = hostname
	}
	req.Header.Set("Upgrade", "websocket")
	req.Header.Set("Connection", "Upgrade")
	req.Header[textproto.CanonicalMIMEHeaderKey("Sec-WebSocket-Version")] = []string{"13"}
	req.Header.Set("Sec-Websocket-Key", key)
	if res, err = rt.RoundTrip(req); err != nil {
		return nil, nil, err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		return nil, res, nil
	}
	rwc, ok := res.Body.(io.ReadWriteCloser)
	if !ok {
		_ = res.Body.Close()
		return nil, nil, errors.New("websocket handshake: the transport gives no connection")
	}
	if !hasToken(res.Header, "Upgrade", "websocket") || res.Header.Get("Sec-Websocket-Accept") != acceptKey(key) {
		_ = rwc.Close()
		return nil, nil, errors.New("websocket handshake: the server's answer does not fit the request")
	}
	d, ok := agreed(res.Header.Values("Sec-Websocket-Extensions"))
	if !ok {
		_ = rwc.Close()
		return nil, nil, errors.New("websocket handshake: the server chose an extension that was not offered")
	}
	conn = newConn(rwc, bufio.NewReader(rwc), true, d)
	conn.Protocol, conn.Extensions = res.Header.Get("Sec-Websocket-Protocol"),
		res.Header.Get("Sec-Websocket-Extensions")
	return conn, res, nil
}
