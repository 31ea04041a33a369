// Package hyperdrive serves Hyperdrive bindings by a connection string of a database that listens somewhere near
// (BIND-40 to BIND-47). The drivers dial it with connect() of cloudflare:sockets; there is neither a pool nor a cache
// between, as in wrangler dev.
//
// A binding's value belongs to the loop of its isolate.
package hyperdrive
