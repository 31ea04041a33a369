package explorer

import (
	"encoding/base64"

	"eddy/runtime/control"
)

// bodyFrom reads a body as a form has it: text and JSON as they are, the others in base64.
func bodyFrom(text, contentType string) (control.MessageBody, error) {
	m := control.MessageBody{ContentType: contentType}
	switch contentType {
	case "", "json", "text":
		m.Text = &text
		return m, nil
	case "bytes", "v8":
		var err error
		if m.Base64, err = base64.StdEncoding.DecodeString(text); err != nil {
			return m, refused("a body of type %s is given in base64: %v", contentType, err)
		}
		return m, nil
	}
	return m, refused("content type %q: expected json, text, bytes or v8", contentType)
}
