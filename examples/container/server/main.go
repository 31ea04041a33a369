// The program in the container of examples/container: it answers every request with what it was started with.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if _, err := fmt.Fprintf(w, "%s, you asked for %s\n", os.Getenv("GREETING"), r.URL.Path); err != nil {
			log.Print(err)
		}
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}
