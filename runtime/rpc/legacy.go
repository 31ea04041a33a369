package rpc

import (
	"sync"

	"github.com/dop251/goja"
)

// legacyProgram adds the methods that service stubs had below compatibility date 2024-03-26: fetch in other words.
var legacyProgram = sync.OnceValue(func() *goja.Program {
	return goja.MustCompile("rpc:legacy", `((proto, fetch) => {
	"use strict";
	const send = async (stub, method, url, init) => {
		const response = await Reflect.apply(fetch, stub, [url, { method, ...init }]);
		const missing = method === "GET" && (response.status === 404 || response.status === 410);
		if (!missing && !response.ok) throw new Error(
			"HTTP " + method + " request failed: " + response.status + " " + response.statusText);
		return missing ? null : response;
	};
	const methods = {
		async get(url, type = "text") {
			const response = await send(this, "GET", url);
			if (response === null) return null;
			switch (type) {
				case "stream": return response.body;
				case "text": return response.text();
				case "arrayBuffer": return response.arrayBuffer();
				case "json": return response.json();
			}
			throw new TypeError(
				'Unknown response type. Possible types are "text", "arrayBuffer", "json", and "stream".');
		},
		async put(url, body) { await send(this, "PUT", url, { body }); },
		async delete(url) { await send(this, "DELETE", url); },
	};
	for (const [name, value] of Object.entries(methods)) Object.defineProperty(
		proto, name, { value, writable: true, configurable: true, enumerable: true });
})`, true)
})

// defineLegacy adds get, put and delete to service and object stubs.
func (k *Kit) defineLegacy() {
	v, err := k.h.Runtime().RunProgram(legacyProgram())
	if err != nil {
		panic(err)
	}
	define, _ := goja.AssertFunction(v)
	if _, err := define(goja.Undefined(), k.fetcher.Prototype, k.fetcher.Prototype.Get("fetch")); err != nil {
		panic(err)
	}
}
