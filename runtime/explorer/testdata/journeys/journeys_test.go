package journeys

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	body = `document.querySelector("main").innerText`
	// stays is put on the window of a page that must not be loaded anew.
	stays = `window.stays = true`
)

// The count of a queue follows what happens, in the page that is there.
func TestLiveCount(t *testing.T) {
	s := start(t)
	s.act("queues/jobs/pause", `{}`)
	b := open(t, s)
	b.see("queues/jobs")
	ask[bool](b, stays)
	for i := range 30 {
		s.order("ann", fmt.Sprint("tea ", i))
	}
	b.until(`document.querySelector("#ready").textContent === "30"`)
	s.act("queues/jobs/resume", `{}`)
	b.until(`document.querySelector("#ready").textContent === "0"`)
	if !ask[bool](b, `window.stays === true`) {
		t.Error("the page was loaded anew")
	}
	b.see("")
	b.until(body + `.includes("shop-Cart") || document.querySelector("svg.topology") !== null`)
}

// A message is sent from the page, dies, is edited with a look at the difference, and replayed; its life has it all.
func TestDeadLetter(t *testing.T) {
	s := start(t)
	b := open(t, s)
	b.see("queues/jobs")
	b.fill(`textarea[name=body]`, `{"who": "ann", "item": "fog"}`)
	b.click(`form[action$="/send"] button`, "Send")
	b.until(`document.querySelector("[role=status]")?.innerText === "sent 1 message"`)
	b.see("dead-letters/jobs-dlq")
	b.until(body + `.includes("fog cannot be packed")`)
	b.click("a", "edit")
	b.fill(`textarea[name=body]`, `{"who": "ann", "item": "tea"}`)
	b.click("button", "Compare")
	b.until(`document.querySelector("pre.diff ins") !== null`)
	b.click("button", "Save and replay")
	b.until(body + `.includes("Attempt 1 in jobs: ack")`)
	life := ask[string](b, body)
	for _, want := range []string{"edited and replayed", "Attempt 2 in jobs: retry", "fog cannot be packed", "index.js:",
		"It waits in no queue", "packs tea"} {
		if !strings.Contains(life, want) {
			t.Errorf("the life of the message lacks %q:\n%s", want, life)
		}
	}
}

// SQL only reads until it is ticked that it may write.
func TestSQL(t *testing.T) {
	s := start(t)
	s.order("ann", "tea")
	b := open(t, s)
	b.see("objects")
	b.until(body + `.includes("ann")`)
	b.click("a", "ann")
	run := func(sql, button string) {
		t.Helper()
		b.fill(`textarea[name=sql]`, sql)
		b.click("button", button)
	}
	run("SELECT name AS found FROM items", "Read")
	b.until(body + `.includes("FOUND") || ` + body + `.includes("found\n")`)
	run("DELETE FROM items", "Read")
	b.until(`document.querySelector("[role=alert]") !== null`)
	b.click(`input[name=write]`, "")
	run("DELETE FROM items", "Run")
	b.until(`document.querySelector("[role=status]")?.innerText.startsWith("done")`)
	run("SELECT count(*) AS n FROM items", "Read")
	b.until(`document.querySelector("#main .wide td")?.innerText === "0"`)
}

// What is half typed, ticked and focused, and where the page stands, survives an update.
func TestFocus(t *testing.T) {
	s := start(t)
	s.act("queues/jobs/pause", `{}`)
	for i := range 60 {
		s.order("ann", fmt.Sprint("tea ", i))
	}
	b := open(t, s)
	b.see("queues/jobs")
	b.click(`tr[id^=m] input[name=ref]`, "")
	b.do(chromedp.Evaluate(`document.querySelector("form[action$='/send']").closest("details").open = true`, nil),
		chromedp.Focus(`textarea[name=body]`, chromedp.ByQuery), chromedp.KeyEvent(`{"half`),
		chromedp.Evaluate(`document.querySelector("textarea[name=body]").setSelectionRange(2, 4); scrollTo(0, 300)`, nil))
	at := ask[float64](b, `scrollY`)
	s.order("bob", "cake")
	b.until(`document.querySelector("#ready").textContent === "61"`)
	state := ask[string](b, `(() => { const e = document.activeElement; return [e.name, e.value, e.selectionStart,
		e.selectionEnd, document.querySelector("tr[id^=m] input[name=ref]").checked].join() })()`)
	if state != `body,{"half,2,4,true` {
		t.Errorf("after the update: %s", state)
	}
	if now := ask[float64](b, `scrollY`); now != at {
		t.Errorf("the page moved from %v to %v", at, now)
	}
	b.do(chromedp.KeyEvent("X"))
	if v := ask[string](b, `document.querySelector("textarea[name=body]").value`); v != `{"Xlf` {
		t.Errorf("typed on: %s", v)
	}
}

// The filter of the events is in the URL, holds while events come, and a click opens the waterfall.
func TestEvents(t *testing.T) {
	s := start(t)
	s.order("ann", "tea")
	b := open(t, s)
	b.see("events")
	b.until(body + `.includes("QUEUE jobs 1 message")`)
	b.fill(`input[name=q]`, "queue:jobs error")
	b.do(chromedp.Focus(`input[name=q]`, chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.until(`location.search.includes("queue%3Ajobs+error")`)
	s.order("bob", "fog")
	b.until(body + `.includes("fog cannot be packed")`)
	if text := ask[string](b, body); strings.Contains(text, "POST http") {
		t.Errorf("the filter lets others through:\n%s", text)
	}
	b.click(`table.events a`, "")
	b.until(`document.querySelector("table.waterfall") !== null && ` + body + `.includes("POST http")`)
}

// The page says that the session is away, and goes on when it is there again, with what was kept.
func TestKilled(t *testing.T) {
	s := start(t)
	s.act("queues/jobs/pause", `{}`)
	s.order("ann", "tea")
	b := open(t, s)
	b.see("queues/jobs")
	ask[bool](b, stays)
	b.until(`document.querySelector("#ready").textContent === "1"`)
	b.mayBeAway(true)
	s.kill()
	b.until(`document.body.classList.contains("away")`)
	s.run()
	b.until(`!document.body.classList.contains("away")`)
	b.mayBeAway(false)
	s.order("ann", "cake")
	b.until(`document.querySelector("#ready").textContent === "2"`)
	if !ask[bool](b, `window.stays === true`) {
		t.Error("the page was loaded anew")
	}
}

// Every page is dark where the system is, and fits a telephone: nothing moves sideways but what scrolls by itself.
func TestDarkAndNarrow(t *testing.T) {
	s := start(t)
	s.order("ann", strings.Repeat("long", 300))
	s.order("ann", "fog")
	b := open(t, s)
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: "dark"}}), chromedp.EmulateViewport(390, 844))
	b.see("dead-letters/jobs-dlq")
	b.until(body + `.includes("fog cannot be packed")`)
	id := ask[string](b, `document.querySelector("input[name=ids]").value`)
	b.see("objects")
	object := ask[string](b, `document.querySelector("tr[id^=o] a").getAttribute("href")`)
	for _, path := range []string{"", "queues", "queues/jobs", "dead-letters", "dead-letters/jobs-dlq",
		"dead-letters/jobs-dlq/" + id, "messages/" + id, "objects", strings.TrimPrefix(object, "/cdn-cgi/eddy/"), "lanes",
		"events", "traces/" + id, "time", "stores", "workflows", "email"} {
		b.see(path)
		if w := ask[float64](b, `document.documentElement.scrollWidth`); w > 390 {
			t.Errorf("%q is %v pixels wide", path, w)
		}
		if light := ask[string](b, `getComputedStyle(document.body).backgroundColor`); light != "rgb(20, 23, 26)" {
			t.Errorf("%q is %s in the dark", path, light)
		}
		b.shot("narrow-" + strings.NewReplacer("/", "-", id, "ID").Replace(path))
	}
}

// A keyboard is enough: the first stop leads to the content, each control has a visible focus and a name.
func TestKeyboard(t *testing.T) {
	s := start(t)
	s.order("ann", "fog")
	b := open(t, s)
	b.see("dead-letters/jobs-dlq")
	b.until(body + `.includes("fog cannot be packed")`)
	b.do(chromedp.KeyEvent(kb.Tab))
	if first := ask[string](b, `document.activeElement.getAttribute("href")`); first != "#main" {
		t.Errorf("the first stop is %s", first)
	}
	for range 40 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if bad := ask[string](b, `(() => { const e = document.activeElement; if (e === document.body) return "";
			const name = e.getAttribute("aria-label") || e.labels?.[0]?.innerText || e.innerText || e.placeholder;
			const seen = getComputedStyle(e).outlineStyle !== "none";
			return name?.trim() && seen ? "" : e.outerHTML })()`); bad != "" {
			t.Errorf("no name or no focus: %s", bad)
		}
	}
}
