package browser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// actions are the quick actions that need nothing but a browser.
var actions = map[string]func(ctx context.Context, c *conn, p *page) (kind string, body []byte, err error){
	"screenshot": func(ctx context.Context, c *conn, p *page) (string, []byte, error) {
		kind, shot, err := c.screenshot(ctx, p)
		if err == nil && p.ScreenshotOptions.Encoding == "base64" {
			return "text/plain", []byte(base64.StdEncoding.EncodeToString(shot)), nil
		}
		return "image/" + kind, shot, err
	},
	"pdf": func(ctx context.Context, c *conn, p *page) (string, []byte, error) {
		params, err := p.PDFOptions.params()
		if err != nil {
			return "", nil, err
		}
		var printed struct {
			Data []byte `json:"data"`
		}
		err = c.call(ctx, "Page.printToPDF", params, &printed)
		return "application/pdf", printed.Data, err
	},
	"content": func(ctx context.Context, c *conn, _ *page) (string, []byte, error) {
		return c.value(ctx,
			call("content"))
	},
	"markdown": func(ctx context.Context, c *conn, _ *page) (string, []byte, error) {
		return c.value(ctx,
			call("markdown"))
	},
	"links": func(ctx context.Context, c *conn, p *page) (string, []byte, error) {
		return c.value(ctx, call("links", p.VisibleLinksOnly, p.ExcludeExternalLinks))
	},
	"scrape": func(ctx context.Context, c *conn, p *page) (string, []byte, error) {
		if len(p.Elements) == 0 {
			return "", nil, fmt.Errorf("the options should have elements: [{ selector }]")
		}
		return c.value(ctx, call("scrape", p.Elements))
	},
	"snapshot": func(ctx context.Context, c *conn, p *page) (string, []byte, error) {
		var content string
		if err := c.evaluate(ctx, call("content"), &content); err != nil {
			return "", nil, err
		}
		_, shot, err := c.screenshot(ctx, p)
		if err != nil {
			return "", nil, err
		}
		return success(map[string]any{"content": content, "screenshot": shot})
	},
}

// success is the form of results that are JSON.
func success(v any) (string, []byte, error) {
	b, err := json.Marshal(map[string]any{"success": true, "result": v})
	return "application/json", b, err
}

func (c *conn) value(ctx context.Context, expression string) (string, []byte, error) {
	var v json.RawMessage
	if err := c.evaluate(ctx, expression, &v); err != nil {
		return "", nil, err
	}
	return success(v)
}

func (c *conn) screenshot(ctx context.Context, p *page) (kind string, shot []byte, err error) {
	o := p.ScreenshotOptions
	if kind = o.Type; kind == "" {
		kind = "png"
	}
	params := map[string]any{"format": kind}
	if o.Quality > 0 && kind != "png" {
		params["quality"] = o.Quality
	}
	switch {
	case p.Selector != "":
		var clip json.RawMessage
		if err := c.evaluate(ctx, call("box", p.Selector), &clip); err != nil {
			return "", nil, err
		}
		params["clip"], params["captureBeyondViewport"] = clip, true
	case o.FullPage:
		var m struct {
			Size struct {
				Width  float64 `json:"width"`
				Height float64 `json:"height"`
			} `json:"cssContentSize"`
		}
		if err := c.call(ctx, "Page.getLayoutMetrics", nil, &m); err != nil {
			return "", nil, err
		}
		params["clip"] = map[string]any{"x": 0, "y": 0, "width": m.Size.Width, "height": m.Size.Height, "scale": 1}
		params["captureBeyondViewport"] = true
	case len(o.Clip) > 0:
		clip := map[string]any{"scale": 1}
		if err := json.Unmarshal(o.Clip, &clip); err != nil {
			return "", nil, err
		}
		params["clip"] = clip
	}
	var taken struct {
		Data []byte `json:"data"`
	}
	err = c.call(ctx, "Page.captureScreenshot", params, &taken)
	return kind, taken.Data, err
}

// pdf are puppeteer's options of a PDF.
type pdf struct {
	Format              string          `json:"format"`
	Landscape           bool            `json:"landscape"`
	PrintBackground     bool            `json:"printBackground"`
	Scale               float64         `json:"scale"`
	PageRanges          string          `json:"pageRanges"`
	DisplayHeaderFooter bool            `json:"displayHeaderFooter"`
	HeaderTemplate      string          `json:"headerTemplate"`
	FooterTemplate      string          `json:"footerTemplate"`
	PreferCSSPageSize   bool            `json:"preferCSSPageSize"`
	Width               any             `json:"width"`
	Height              any             `json:"height"`
	Margin              map[string]any  `json:"margin"`
	Timeout             json.RawMessage `json:"timeout"`
}

// papers are widths and heights in inches.
var papers = map[string][2]float64{"letter": {8.5, 11}, "legal": {8.5, 14}, "tabloid": {11, 17}, "ledger": {17, 11},
	"a0": {33.1, 46.8}, "a1": {23.4, 33.1}, "a2": {16.54, 23.4}, "a3": {11.7, 16.54}, "a4": {8.27, 11.7},
	"a5": {5.83, 8.27}, "a6": {4.13, 5.83}}

func (o *pdf) params() (map[string]any, error) {
	if o == nil {
		return nil, nil
	}
	m := map[string]any{"landscape": o.Landscape, "printBackground": o.PrintBackground,
		"displayHeaderFooter": o.DisplayHeaderFooter, "preferCSSPageSize": o.PreferCSSPageSize,
		"headerTemplate": o.HeaderTemplate, "footerTemplate": o.FooterTemplate, "pageRanges": o.PageRanges}
	if o.Scale > 0 {
		m["scale"] = o.Scale
	}
	if o.Format != "" {
		size, ok := papers[strings.ToLower(o.Format)]
		if !ok {
			return nil, fmt.Errorf("pdfOptions.format knows no %q", o.Format)
		}
		m["paperWidth"], m["paperHeight"] = size[0], size[1]
	}
	lengths := map[string]any{"paperWidth": o.Width, "paperHeight": o.Height}
	for _, side := range []string{"Top", "Bottom", "Left", "Right"} {
		lengths["margin"+side] = o.Margin[strings.ToLower(side)]
	}
	for name, v := range lengths {
		if v == nil {
			continue
		}
		n, err := inches(v)
		if err != nil {
			return nil, fmt.Errorf("pdfOptions: %s: %w", name, err)
		}
		m[name] = n
	}
	return m, nil
}

// inches reads a length: a number of pixels, or a text with px, in, cm or mm.
func inches(v any) (float64, error) {
	if n, ok := v.(float64); ok {
		return n / 96, nil
	}
	text := strings.ToLower(strings.TrimSpace(fmt.Sprint(v)))
	for unit, per := range map[string]float64{"px": 96, "in": 1, "cm": 2.54, "mm": 25.4} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			return n / per, err
		}
	}
	return 0, fmt.Errorf("%q is no length: write a number of pixels, or one with px, in, cm or mm", text)
}
