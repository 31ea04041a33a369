package journeys

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a tab of Chromium that a journey drives.
type browser struct {
	t   testing.TB
	s   *session
	ctx context.Context

	mu sync.Mutex // guards what follows
	// away says that the session is killed: then the browser may tell that it cannot be reached.
	away  bool
	wrong []string
}

// open starts a browser. What it writes to the console as an error, what throws and what the content security policy
// forbids fails the journey.
func open(t testing.TB, s *session, options ...chromedp.ContextOption) *browser {
	t.Helper()
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			found = path
			break
		}
	}
	if found == "" {
		t.Fatal("no Chromium is installed: apt-get install chromium")
	}
	all, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.WindowSize(1200, 900))...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(all, options...)
	t.Cleanup(cancel)
	b := &browser{t: t, s: s, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError || e.Entry.Source == log.SourceSecurity {
				b.note(e.Entry.Text + " " + e.Entry.URL)
			}
		case *runtime.EventExceptionThrown:
			b.note(e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError {
				b.note("console.error")
			}
		}
	})
	b.do(log.Enable())
	t.Cleanup(func() {
		b.shot(strings.ReplaceAll(t.Name(), "/", "-"))
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, text := range b.wrong {
			t.Errorf("the browser says: %s", text)
		}
	})
	return b
}

func (b *browser) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.away || !strings.Contains(text, "Failed to load resource") {
		b.wrong = append(b.wrong, text)
	}
}

// mayBeAway says whether the session may be out of reach.
func (b *browser) mayBeAway(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

// do carries out steps.
func (b *browser) do(steps ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// see opens a page of the explorer.
func (b *browser) see(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.s.url + "/cdn-cgi/eddy/" + path))
}

// until waits for a condition, in JavaScript, on the page that is there or on those that follow it.
func (b *browser) until(condition string) {
	b.t.Helper()
	for {
		err := chromedp.Run(b.ctx, chromedp.Poll(condition, nil, chromedp.WithPollingInterval(20*time.Millisecond),
			chromedp.WithPollingTimeout(0)))
		if err == nil {
			return
		}
		var gone *cdproto.Error
		if !errors.As(err, &gone) { // not a page that another one has replaced meanwhile
			b.t.Fatal(err)
		}
	}
}

// click clicks on the first element that a selector finds, or on the first link or button that has a text. It does so
// in the page: an update may move an element between a look at where it is and a click there.
func (b *browser) click(selector, text string) {
	b.t.Helper()
	b.until(`(() => { const e = [...document.querySelectorAll(` + strconv.Quote(selector) + `)].find((e) => ` +
		strconv.Quote(text) + ` === "" || e.innerText === ` + strconv.Quote(text) + `);
		if (e) e.click();
		return Boolean(e) })()`)
}

// fill puts a value into a field, as somebody who has typed it.
func (b *browser) fill(selector, value string) {
	b.t.Helper()
	b.until(`(() => { const e = document.querySelector(` + strconv.Quote(selector) + `);
		if (e) e.value = ` + strconv.Quote(value) + `;
		return Boolean(e) })()`)
}

// ask evaluates an expression.
func ask[T any](b *browser, expression string) (v T) {
	b.t.Helper()
	b.do(chromedp.Evaluate(expression, &v))
	return v
}

// shot keeps a picture of the page where EXPLORER_SHOTS says.
func (b *browser) shot(name string) {
	dir := os.Getenv("EXPLORER_SHOTS")
	if dir == "" {
		return
	}
	var png []byte
	if err := chromedp.Run(b.ctx, chromedp.FullScreenshot(&png, 100)); err != nil {
		b.t.Error(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666); err != nil {
		b.t.Error(err)
	}
}
