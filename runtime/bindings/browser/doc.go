// Package browser serves Browser bindings (BIND-80 to BIND-84) with a Chromium or Chrome that is installed, or with one
// that runs already and whose address of the DevTools protocol the user names. Nothing is downloaded.
//
// # Nouns
//
//   - [Browsers] are the browsers of a session. It is an [http.Handler] for the routes that @cloudflare/puppeteer and
//     @cloudflare/playwright ask of the binding: the older ones (/v1/acquire, /v1/connectDevtools with its framing) and
//     the newer ones (/v1/devtools/…, plain protocol).
//   - A tab session, here [acquired], is one browser with its id: a process of its own with a profile of its own below
//     the state directory.
//   - A quick action (quick.go) is screenshot, pdf, content and the like on a page of a browser that lives for it
//     alone. conn (protocol.go) speaks the DevTools protocol for that.
//
// # Life cycle and threads
//
// A browser is started when somebody acquires it, never before, and is killed with its whole process group when it is
// closed, when nobody has been connected for its idle time, and with the session. On Linux the kernel kills it if eddy
// is killed; what a killed session has left of profiles is removed when the next one starts a browser. Any goroutine.
package browser
