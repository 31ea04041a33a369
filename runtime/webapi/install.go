// Package webapi is the registry of the web APIs: one list, in the order in which they depend on each other. Every API
// lives in a folder of its own below; each sees the isolate only through [host.Host].
package webapi

import (
	"eddy/runtime/engine/host"
	"eddy/runtime/webapi/caches"
	"eddy/runtime/webapi/clone"
	"eddy/runtime/webapi/compression"
	"eddy/runtime/webapi/console"
	"eddy/runtime/webapi/encoding"
	"eddy/runtime/webapi/events"
	"eddy/runtime/webapi/eventsource"
	"eddy/runtime/webapi/fetch"
	"eddy/runtime/webapi/htmlrewriter"
	"eddy/runtime/webapi/performance"
	"eddy/runtime/webapi/streams"
	"eddy/runtime/webapi/timers"
	"eddy/runtime/webapi/url"
	"eddy/runtime/webapi/webcrypto"
	"eddy/runtime/webapi/websocket"
)

// apis are the install functions, in order.
var apis = []func(*host.Host){
	timers.Install,
	events.Install,
	clone.Install,
	console.Install,
	url.Install,
	encoding.Install,
	streams.Install,
	compression.Install,
	webcrypto.Install,
	fetch.Install,
	eventsource.Install,
	caches.Install,
	performance.Install,
	htmlrewriter.Install,
	websocket.Install,
}

// Install puts every web API on the isolate.
func Install(h *host.Host) {
	for _, install := range apis {
		install(h)
	}
}
