package browser

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// loadTime is how long a page may take to load without a timeout of its own.
const loadTime = 30 * time.Second

// page is what a quick action is asked for. What the platform knows beyond it is refused by name.
type page struct {
	URL         string `json:"url"`
	HTML        string `json:"html"`
	UserAgent   string `json:"userAgent"`
	GotoOptions struct {
		WaitUntil words   `json:"waitUntil"`
		Timeout   float64 `json:"timeout"`
	} `json:"gotoOptions"`
	Viewport *struct {
		Width             int     `json:"width"`
		Height            int     `json:"height"`
		DeviceScaleFactor float64 `json:"deviceScaleFactor"`
		IsMobile          bool    `json:"isMobile"`
	} `json:"viewport"`
	Headers         map[string]string `json:"setExtraHTTPHeaders"`
	WaitForSelector *struct {
		Selector string  `json:"selector"`
		Timeout  float64 `json:"timeout"`
	} `json:"waitForSelector"`
	WaitForTimeout float64 `json:"waitForTimeout"`
	Scripts        []added `json:"addScriptTag"`
	Styles         []added `json:"addStyleTag"`

	Selector             string `json:"selector"`
	VisibleLinksOnly     bool   `json:"visibleLinksOnly"`
	ExcludeExternalLinks bool   `json:"excludeExternalLinks"`
	Elements             []struct {
		Selector string `json:"selector"`
	} `json:"elements"`
	ScreenshotOptions struct {
		Type           string          `json:"type"`
		Quality        int             `json:"quality"`
		FullPage       bool            `json:"fullPage"`
		OmitBackground bool            `json:"omitBackground"`
		Clip           json.RawMessage `json:"clip"`
		Encoding       string          `json:"encoding"`
	} `json:"screenshotOptions"`
	PDFOptions *pdf `json:"pdfOptions"`
}

type added struct {
	URL     string `json:"url"`
	Content string `json:"content"`
}

// words is a word or a list of them.
type words []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(w))
}

// lifecycle are puppeteer's names of what a load waits for, as the protocol calls them.
var lifecycle = map[string]string{"load": "load", "domcontentloaded": "DOMContentLoaded", "networkidle0": "networkIdle",
	"networkidle2": "networkAlmostIdle"}

//go:embed page.js
var scripts string

// quickAction is POST /v1/quick-action/ACTION: a page in a browser of its own, one result.
func (b *Browsers) quickAction(w http.ResponseWriter, r *http.Request) {
	kind, body, err := b.act(r.Context(), r.PathValue("action"), r.Body)
	var refused refusal
	switch {
	case errors.As(err, &refused) && refused.status == http.StatusTooManyRequests:
		fail(w, err)
		return
	case err != nil:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(max(refused.status, http.StatusBadRequest))
		_ = json.NewEncoder(w).Encode(map[string]any{"success": false, // a client that is gone needs no answer
			"errors": []any{map[string]any{"code": 2001, "message": err.Error()}}})
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

func (b *Browsers) act(ctx context.Context, action string, body io.Reader) (kind string, result []byte, err error) {
	do := actions[action]
	if do == nil {
		return "", nil, fmt.Errorf("quickAction(%q) has no local form: here are content, links, markdown, pdf, "+
			"scrape, "+
			"screenshot and snapshot", action)
	}
	var p page
	data, err := io.ReadAll(body)
	if err != nil {
		return "", nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return "", nil, fmt.Errorf("the options of quickAction(%q): %s", action, strings.TrimPrefix(err.Error(),
			"json: "))
	}
	if (p.URL == "") == (p.HTML == "") {
		return "", nil, errors.New("the options should have either url or html")
	}
	a, err := b.acquire(ctx, 0)
	if err != nil {
		return "", nil, err
	}
	defer b.close(a.id, 1, "NormalClosure")
	ctx, drop := context.WithCancel(ctx)
	defer drop()
	if _, leave, err := b.use(a.id, false, drop); err != nil {
		return "", nil, err
	} else {
		defer leave()
	}
	c, err := dial(ctx, a.endpoint.String())
	if err != nil {
		return "", nil, err
	}
	defer c.ws.CloseNow() //nolint:errcheck // the browser is closed anyway
	if err := c.load(ctx, &p); err != nil {
		return "", nil, err
	}
	return do(ctx, c, &p)
}

// load opens the page and waits until it is there.
func (c *conn) load(ctx context.Context, p *page) error {
	timeout := loadTime
	if ms := p.GotoOptions.Timeout; ms > 0 {
		timeout = time.Duration(ms) * time.Millisecond
	}
	ctx, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	var target struct {
		ID string `json:"targetId"`
	}
	if err := c.call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct {
		ID string `json:"sessionId"`
	}
	if err := c.call(ctx, "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true},
		&attached); err != nil {
		return err
	}
	c.session = attached.ID
	if err := c.prepare(ctx, p); err != nil {
		return err
	}
	if err := c.show(ctx, p); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("the page did not load within %v", timeout)
		}
		return err
	}
	for _, s := range p.Scripts {
		if err := c.evaluate(ctx, call("addTag", "script", s), nil); err != nil {
			return err
		}
	}
	for _, s := range p.Styles {
		if err := c.evaluate(ctx, call("addTag", "style", s), nil); err != nil {
			return err
		}
	}
	if s := p.WaitForSelector; s != nil {
		if err := c.evaluate(ctx, call("waitFor", s.Selector, s.Timeout), nil); err != nil {
			return err
		}
	}
	if p.WaitForTimeout > 0 {
		return c.evaluate(ctx, call("pause", p.WaitForTimeout), nil)
	}
	return nil
}

func (c *conn) prepare(ctx context.Context, p *page) error {
	steps := []struct {
		method string
		params any
	}{{"Page.enable", nil}, {"Page.setLifecycleEventsEnabled", map[string]any{"enabled": true}}, {"Network.enable",
		nil}}
	add := func(method string, params map[string]any) {
		steps = append(steps, struct {
			method string
			params any
		}{method, params})
	}
	if v := p.Viewport; v != nil {
		add("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width, "height": v.Height,
			"deviceScaleFactor": v.DeviceScaleFactor, "mobile": v.IsMobile})
	}
	if p.UserAgent != "" {
		add("Emulation.setUserAgentOverride", map[string]any{"userAgent": p.UserAgent})
	}
	if len(p.Headers) > 0 {
		add("Network.setExtraHTTPHeaders", map[string]any{"headers": p.Headers})
	}
	if p.ScreenshotOptions.OmitBackground {
		add("Emulation.setDefaultBackgroundColorOverride", map[string]any{"color": map[string]int{"r": 0, "g": 0,
			"b": 0, "a": 0}})
	}
	for _, s := range steps {
		if err := c.call(ctx, s.method, s.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// show goes to the address, or puts the text in, and waits for what is asked for.
func (c *conn) show(ctx context.Context, p *page) error {
	if p.HTML != "" {
		var tree struct {
			FrameTree struct {
				Frame struct {
					ID string `json:"id"`
				} `json:"frame"`
			} `json:"frameTree"`
		}
		if err := c.call(ctx, "Page.getFrameTree", nil, &tree); err != nil {
			return err
		}
		if err := c.call(ctx, "Page.setDocumentContent", map[string]any{"frameId": tree.FrameTree.Frame.ID,
			"html": p.HTML}, nil); err != nil {
			return err
		}
		return c.evaluate(ctx, call("loaded"), nil)
	}
	wanted := p.GotoOptions.WaitUntil
	if len(wanted) == 0 {
		wanted = words{"load"}
	}
	left := map[string]bool{}
	for _, w := range wanted {
		name := lifecycle[w]
		if name == "" {
			return fmt.Errorf("gotoOptions.waitUntil knows no %q", w)
		}
		left[name] = true
	}
	var gone struct {
		Loader string `json:"loaderId"`
		Error  string `json:"errorText"`
	}
	if err := c.call(ctx, "Page.navigate", map[string]any{"url": p.URL}, &gone); err != nil {
		return err
	}
	if gone.Error != "" {
		return fmt.Errorf("%s at %s", gone.Error, p.URL)
	}
	return c.await(ctx, func(e event) bool {
		var life struct {
			Loader string `json:"loaderId"`
			Name   string `json:"name"`
		}
		if e.Method == "Page.lifecycleEvent" && json.Unmarshal(e.Params, &life) == nil && life.Loader == gone.Loader {
			delete(left, life.Name)
		}
		return len(left) == 0
	})
}

// call is an expression that calls a function of page.js.
func call(name string, args ...any) string {
	list := make([]string, len(args))
	for i, a := range args {
		b, _ := json.Marshal(a) // texts, numbers and structs of them
		list[i] = string(b)
	}
	return "(" + scripts + ")." + name + "(" + strings.Join(list, ",") + ")"
}
