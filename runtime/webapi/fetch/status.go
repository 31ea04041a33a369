package fetch

import "net/http"

// otherReasons are the default reason phrases of the platform that differ from net/http's.
var otherReasons = map[int]string{
	http.StatusUseProxy: "Use Proxy", http.StatusRequestEntityTooLarge: "Payload Too Large",
	http.StatusRequestURITooLong: "URI Too Long", http.StatusRequestedRangeNotSatisfiable: "Range Not Satisfiable",
	http.StatusTooEarly: "Client Error",
}

// statusText is the default reason phrase of a status. Unknown codes take the name of their class.
func statusText(code int) string {
	if t, ok := otherReasons[code]; ok {
		return t
	}
	if t := http.StatusText(code); t != "" {
		return t
	}
	switch code / 100 {
	case 2:
		return "Successful"
	case 3:
		return "Redirection"
	case 4:
		return "Client Error"
	case 5:
		return "Server Error"
	}
	return ""
}

// nullBodyStatus tells whether a response of that status never has a body.
func nullBodyStatus(code int) bool {
	return code == 101 || code == 204 || code == 205 || code == 304
}

// redirectStatus tells whether a status redirects.
func redirectStatus(code int) bool {
	return code == 301 || code == 302 || code == 303 || code == 307 || code == 308
}
