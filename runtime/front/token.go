package front

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// MinToken is the length of the shortest token, in bytes: sixteen letters by lot cannot be guessed over a network.
const MinToken = 16

// tokenCookie keeps the token of a browser that has brought it once. Its path keeps it from the Worker.
const tokenCookie = "eddy-token"

// CheckToken refuses a token that could be guessed or that a cookie cannot hold.
func CheckToken(token string) error {
	if len(token) < MinToken {
		return fmt.Errorf("the token has %d characters; it needs %d or more", len(token), MinToken)
	}
	if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") != "" {
		return fmt.Errorf("the token has other characters than letters, digits and - . _ ~")
	}
	return nil
}

// admit refuses a request to /cdn-cgi from somebody other than the developer: what checkLocal refuses, unless it brings
// the session's token, as a bearer (RFC 6750) or in the cookie that a visit with ?token= has left. It answers such a
// visit itself; then went is true.
func (f Front) admit(w http.ResponseWriter, r *http.Request) (went bool, err error) {
	err = checkLocal(r)
	if err == nil && f.o.Guarded && overConnection(r) {
		err = errNoToken
	}
	if err == nil || f.o.Token == "" {
		return false, err
	}
	if given := r.URL.Query().Get("token"); f.isToken(given) && r.Method == http.MethodGet {
		http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: given, Path: "/cdn-cgi", HttpOnly: true,
			SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil})
		q := r.URL.Query()
		q.Del("token")
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).RequestURI(), http.StatusSeeOther)
		return true, nil
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	cookie, noCookie := r.Cookie(tokenCookie)
	if !f.isToken(bearer) && (noCookie != nil || !f.isToken(cookie.Value)) {
		return false, err
	}
	for _, o := range r.Header.Values("Origin") {
		if u, bad := url.Parse(o); bad != nil || u.Host != r.Host {
			return false, errForeignPage
		}
	}
	return false, nil
}

func (f Front) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(f.o.Token)) == 1
}
