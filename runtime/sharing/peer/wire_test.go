package peer

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The connection of a wire carries bytes both ways, however they are cut; without the token there is none.
func TestWire(t *testing.T) {
	ended := make(chan error, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ServeWire(w, r, "secret", func(conn io.ReadWriteCloser) {
			in := bufio.NewReader(conn)
			line, err := in.ReadString('\n')
			if err == nil {
				_, err = io.WriteString(conn, "got "+line)
			}
			if err == nil {
				_, err = in.ReadByte()
			}
			ended <- err
		})
	}))
	defer web.Close()
	conn, err := DialWire(t.Context(), Address{URL: web.URL, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"a", "b", "c\n"} {
		if _, err := io.WriteString(conn, part); err != nil {
			t.Fatal(err)
		}
	}
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "got abc\n" {
		t.Errorf("%q %v", line, err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the other side does not see the end")
	}
	if _, err := DialWire(t.Context(), Address{URL: web.URL, Token: "guess"}); err == nil ||
		!strings.Contains(err.Error(), "403") {
		t.Errorf("another token: %v", err)
	}
}
