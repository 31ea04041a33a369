// A private field that any object can be given. Called without arguments.
(function () {
	"use strict";
	class Given { constructor(o) { return o; } }
	class Slot extends Given {
		#value;
		constructor(o, value) { super(o); this.#value = value; }
		static set(o, value) { new Slot(o, value); }
		static get(o) { return #value in o ? o.#value : undefined; }
	}
	return { set: Slot.set, get: Slot.get };
})
