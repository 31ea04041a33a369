// Package assets serves the static files of a Worker's assets directory, before or beside the Worker.
//
// # Nouns
//
//   - A [Site] is a directory with its rules: how HTML files are named in URLs, what answers when nothing is found,
//     which paths the Worker gets first, and the files _headers, _redirects and .assetsignore.
//   - Its [Site.Handle] answers a request as the platform's asset server does; [Site.First] does so if the files come
//     before the Worker.
//   - A [Binding] is env[Key], whose fetch() asks the Site and never the Worker.
//
// # Life cycle and threads
//
// A Site is made for each generation of a Worker and reads _headers, _redirects and .assetsignore then; the files
// themselves are looked up at each request, so that an edit needs no reload. Its methods may be called from any
// goroutine.
package assets
