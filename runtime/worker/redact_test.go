package worker

import (
	"testing"

	"eddy/runtime/journal"
)

func TestRedactURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"https://h/p?a=1&b=two": "https://h/p?a=1&b=two",
		"https://h/00112233445566778899aabbccddeeff/x":            "https://h/REDACTED/x",
		"https://h/0011223344556677-8899AABBCCDDEEFF?q":           "https://h/REDACTED?q",
		"https://h/00112233445566778899aabbccddeef/x":             "https://h/00112233445566778899aabbccddeef/x",
		"https://h/00112233445566778899aabbccddeeffg/x":           "https://h/00112233445566778899aabbccddeeffg/x",
		"https://h/?t=AbCdEfGhIjKlMnOpQrS12":                      "https://h/?t=REDACTED",
		"https://h/?t=AbCdEfGhIjKlMnOpQr12":                       "https://h/?t=AbCdEfGhIjKlMnOpQr12",
		"https://h/?t=ABCDEFGHIJKLMNOPQR12a":                      "https://h/?t=ABCDEFGHIJKLMNOPQR12a",
		"https://h/?card=4012888888881881&other=4012888888881882": "https://h/?card=REDACTED&other=4012888888881882",
		"https://h/?card=4012-8888-8888-1881":                     "https://h/?card=REDACTED",
		"https://h/?short=79927398713":                            "https://h/?short=79927398713",
	} {
		if got := redactURL(in); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	for name, want := range map[string]bool{
		"cookie": true, "set-cookie": true, "authorization": true, "x-api-key": true, "x-jwt": true,
		"client-secret": true, "token": true, "accept": false, "cookies": false} {
		if journal.SecretHeader(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
