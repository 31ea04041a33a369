package runtime

import (
	"encoding/json"
	"strings"
	"testing"
)

// reply() of a message takes the fields of an answer, too: it goes to the sender, in the thread of the message, and the
// limits of production hold (BIND-25, BIND-16, BIND-17). wrangler dev refuses it.
func TestReplyBuilder(t *testing.T) {
	p := newProject(t, "wrangler.jsonc", `{"name": "w", "main": "index.js", "compatibility_date": "2026-04-01"}`,
		"index.js", script("replybuilder", "index.js"))
	s := p.serve()
	_, text := s.ask("POST", "/cdn-cgi/handler/email?from=ada%40x.org&to=desk%40y.org&format=json",
		"From: ada@x.org\r\nMessage-ID: <9@x>\r\nIn-Reply-To: <8@x>\r\nReferences: <8@x>\r\n\r\nhello")
	var result struct {
		Outcome string
		Replies []struct{ MessageID, Sender, Raw string }
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil || len(result.Replies) != 1 {
		t.Fatal(err, text)
	}
	r := result.Replies[0]
	if r.Sender != "desk@y.org" {
		t.Error(r.Sender)
	}
	for _, want := range []string{"From: \"Desk\" <desk@y.org>\r\n", "To: <ada@x.org>\r\n", "Subject: Re: hello\r\n",
		"In-Reply-To: <9@x>\r\nReferences: <8@x> <9@x>\r\nX-A: 1\r\n", "Message-ID: <" + r.MessageID + ">\r\n"} {
		if !strings.Contains(r.Raw, want) {
			t.Errorf("no %q in\n%s", want, r.Raw)
		}
	}
	s.wantLines("TypeError: Failed to execute 'reply' on 'ForwardableEmailMessage'",
		"Error: subject is required E_FIELD_MISSING", `Error: header "ARC-Seal" is not allowed E_HEADER_NOT_ALLOWED`,
		`Error: "nobody" is no email address E_VALIDATION_ERROR`, "true")
}
