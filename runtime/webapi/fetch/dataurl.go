package fetch

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"

	"eddy/runtime/webapi/url"
)

// parseDataURL is the data: URL processor (https://fetch.spec.whatwg.org/#data-url-processor) on a serialised URL.
func parseDataURL(href string) (m mimeType, body []byte, ok bool) {
	href, _, _ = strings.Cut(strings.TrimPrefix(href, "data:"), "#")
	typ, data, ok := strings.Cut(href, ",")
	if !ok {
		return mimeType{}, nil, false
	}
	typ = strings.Trim(typ, mimeSpace)
	body = []byte(url.PercentDecode(data))
	if rest, isBase64 := cutBase64(typ); isBase64 {
		typ = rest
		text := strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\n\f\r", r) {
				return -1
			}
			return r
		}, string(body))
		if len(text)%4 == 0 {
			text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
		}
		var err error
		if body, err = base64.RawStdEncoding.DecodeString(text); err != nil {
			return mimeType{}, nil, false
		}
	}
	if strings.HasPrefix(typ, ";") {
		typ = "text/plain" + typ
	}
	if m, ok = parseMIME(typ); !ok {
		m = mimeType{typ: "text", subtype: "plain", params: [][2]string{{"charset", "US-ASCII"}}}
	}
	return m, body, true
}

// cutBase64 removes a trailing "; base64".
func cutBase64(typ string) (string, bool) {
	const word = "base64"
	if len(typ) < len(word) || !strings.EqualFold(typ[len(typ)-len(word):], word) {
		return typ, false
	}
	rest := strings.TrimRight(typ[:len(typ)-len(word)], " ")
	if !strings.HasSuffix(rest, ";") {
		return typ, false
	}
	return rest[:len(rest)-1], true
}

func (k *classes) fetchData(q *Request) goja.Value {
	m, body, ok := parseDataURL(q.url)
	if !ok {
		k.h.Realm.ThrowType("Fetch API cannot load: %s", q.url)
	}
	s := &Response{status: 200, contentType: m.String()}
	if q.method == "GET" {
		s.Body = bufferBody(body)
	}
	return k.response.Wrap(s)
}
