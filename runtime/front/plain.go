package front

import (
	"fmt"
	"net/http"
)

// plain answers with a text, under the content type of a Response made of a string.
func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain;charset=UTF-8")
	w.WriteHeader(status)
	fmt.Fprint(w, text)
}
