package bundle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func virtual(modules ...VirtualModule) func(*Options) {
	return func(o *Options) { o.Virtual = append(o.Virtual, modules...) }
}

func TestBuildTypeScript(t *testing.T) {
	b := build(t, map[string]string{
		"index.ts": `
			import { DurableObject } from "cloudflare:workers";
			import { greet } from "./greet";
			export class Room extends DurableObject { name(): string { return greet("room"); } }
			export let count: number = 0;
			export function increment(): void { count++; }
			export default { fetch(): string { return new Room().name() + count; } };
		`,
		"greet.ts": `export const greet = (who: string): string => "hello " + who;`,
	}, virtual(VirtualModule{Name: "cloudflare:workers"}))
	h, err := start(t, b, func(h *host) {
		v, err := h.rt.RunString("(class DurableObject {})")
		if err != nil {
			t.Fatal(err)
		}
		h.modules["cloudflare:workers"] = map[string]any{"DurableObject": v}
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Source)
	}
	if diff := cmp.Diff([]string{"Room", "count", "default", "increment"}, b.Exports); diff != "" {
		t.Error(diff)
	}
	if _, err := h.rt.RunString("1"); err != nil {
		t.Fatal(err)
	}
	call(t, h, h.get(t, "increment"))
	if got := h.get(t, "count").String(); got != "1" {
		t.Errorf("count = %s after increment, want 1: exports are not live", got)
	}
	if got := call(t, h, h.get(t, "default").ToObject(h.rt).Get("fetch")); got != "hello room1" {
		t.Errorf("fetch = %q", got)
	}
}
