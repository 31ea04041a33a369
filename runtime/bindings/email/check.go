package email

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
)

// Allowed is what the configuration of a binding allows (BIND-10).
type Allowed struct {
	Destination           string
	Destinations, Senders []string
}

// Error is a mistake of the sender; Code is production's, "" where the platform gives none (BIND-16).
type Error struct{ Code, Text string }

// Error implements error.
func (e *Error) Error() string { return e.Text }

// addresses checks who sends and who gets it (BIND-13).
func (a Allowed) addresses(from string, to []string) error {
	if a.Senders != nil && !slices.Contains(a.Senders, from) {
		return &Error{Text: fmt.Sprintf("email from %s not allowed", from)}
	}
	for _, one := range to {
		if a.Destination != "" && one != a.Destination ||
			a.Destinations != nil && !slices.Contains(a.Destinations, one) {
			return &Error{"E_RECIPIENT_NOT_ALLOWED", fmt.Sprintf("email to %s not allowed", one)}
		}
	}
	return nil
}

// checkRaw holds a raw message against what the platform asks of it (BIND-13).
func checkRaw(from string, raw []byte) (*mail.Message, error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, &Error{Text: fmt.Sprintf("could not parse email: %v", err)}
	}
	if m.Header.Get("Message-Id") == "" {
		return nil, &Error{Text: "invalid message-id"}
	}
	sender, err := mail.ParseAddress(m.Header.Get("From"))
	if err != nil || sender.Address != from {
		return nil, &Error{Text: "From: header does not match mail from"}
	}
	if m.Header["Received"] != nil {
		return nil, &Error{Text: "invalid headers set"}
	}
	return m, nil
}

// newID is the id that a sender is told (BIND-14).
func newID(from string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	var b [36]byte
	_, _ = rand.Read(b[:]) // it never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	_, domain, _ := strings.Cut(from, "@")
	return "<" + string(b[:]) + "@" + domain + ">"
}

// replyable tells why a message must not be answered (BIND-25).
func replyable(h mail.Header) error {
	auto, suppress := h.Get("Auto-Submitted"), h.Get("X-Auto-Response-Suppress")
	references := strings.Fields(h.Get("References"))
	if auto != "" && auto != "no" || suppress != "" && !strings.EqualFold(suppress, "none") ||
		(h.Get("In-Reply-To") == "") != (len(references) == 0) || len(references) >= 100 {
		return errors.New("Original email is not replyable")
	}
	return nil
}

// checkReply holds an answer against the message that it answers, and adds References if there are none.
func checkReply(original mail.Header, from string, raw []byte) ([]byte, error) {
	if err := replyable(original); err != nil {
		return nil, err
	}
	m, err := checkRaw(from, raw)
	if err != nil {
		return nil, err
	}
	id, to := original.Get("Message-Id"), m.Header.Get("In-Reply-To")
	switch {
	case to == "":
		return nil, errors.New("no In-Reply-To header found in reply message")
	case to != id:
		return nil, errors.New("In-Reply-To does not match original Message-ID")
	}
	given := m.Header.Get("References")
	if given == "" {
		all := strings.TrimSpace(original.Get("References") + " " + id)
		return append([]byte("References: "+all+"\r\n"), raw...), nil
	}
	for _, one := range append(strings.Fields(original.Get("References")), id) {
		if !strings.Contains(given, one) {
			return nil, errors.New("provided References header is invalid")
		}
	}
	return raw, nil
}
