package htmlrewriter

import (
	"errors"
	"strings"
	"unicode/utf8"
)

var (
	errMemory = errors.New("The memory limit has been exceeded.") // the platform's texts
	errUTF8   = errors.New("Invalid UTF-8")
)

// ElementHandlers are the handlers of one selector. The values are of the driver's own kind, nil for a handler that is
// missing.
type ElementHandlers struct {
	Selector                *Selector
	Element, Comments, Text any
}

// DocumentHandlers are handlers of the whole document.
type DocumentHandlers struct{ Doctype, Comments, Text, End any }

// Options configure a Rewriter.
type Options struct {
	// Handlers are ElementHandlers and DocumentHandlers, in the order of their calls.
	Handlers []any
	// Encoding is a label of the Encoding standard.
	Encoding string
	// ESI makes esi:include and esi:comment void elements.
	ESI bool
}

// Task is something for the driver to do before it calls Next again: call a handler, or insert a stream by
// [Rewriter.Insert] and [Rewriter.InsertEnd].
type Task struct {
	Handler any
	Token   Token
	// Stream, if set, is to be inserted. Handler is nil then.
	Stream any
}

// registration is a set of handlers, and the number of open elements that it matches.
type registration struct {
	ElementHandlers
	active int // the document's handlers are always active
}

// openElement is an open element.
type openElement struct {
	subject
	namespace string
	matched   []int // by their numbers
	removed   bool  // its content is being removed
	end       endPart
	children  int
	types     map[string]int
}

// action is a step that follows from a token: a task, or a function.
type action struct {
	task Task
	run  func()
}

// Rewriter is the machine; see the package documentation.
type Rewriter struct {
	tokenizer
	codec    codec
	esi      bool
	document []DocumentHandlers
	handlers []*registration
	order    []any // *registration and *DocumentHandlers, for text and comments
	ofType   bool  // some selector counts children by type

	found    tokenKind // the token that was looked at and not taken
	stack    []openElement
	root     openElement // counts the children of the document
	removing int
	inText   bool
	starved  bool // only the start of a character is left
	queue    []action
	out      []byte
	insert   struct {
		html bool
		tail []byte
	}
	ended bool
}

// New makes a machine.
func New(o Options) (*Rewriter, error) {
	c, err := newCodec(o.Encoding)
	if err != nil {
		return nil, err
	}
	r := &Rewriter{codec: c, esi: o.ESI}
	for _, h := range o.Handlers {
		switch h := h.(type) {
		case ElementHandlers:
			reg := &registration{ElementHandlers: h}
			r.handlers, r.order = append(r.handlers, reg), append(r.order, reg)
			r.ofType = r.ofType || h.Selector.usesTypes()
		case DocumentHandlers:
			r.document, r.order = append(r.document, h), append(r.order, &h)
		}
	}
	return r, nil
}

func (sel *Selector) usesTypes() bool {
	for _, c := range sel.list {
		for _, part := range c {
			if part.usesTypes() {
				return true
			}
		}
	}
	return false
}

func (c compound) usesTypes() bool {
	for _, cond := range c.conditions {
		switch cond := cond.(type) {
		case nth:
			if cond.ofType {
				return true
			}
		case not:
			for _, part := range cond {
				if part.usesTypes() {
					return true
				}
			}
		}
	}
	return false
}

// Write adds input. Call Next until it is exhausted before the next Write.
func (r *Rewriter) Write(p []byte) error {
	if len(r.buf) > maxPending {
		return errMemory
	}
	// Tokens that were handed out lie before what is left in buf, so appending never writes over them.
	r.buf = append(r.buf, p...)
	return nil
}

// End tells that there is no more input.
func (r *Rewriter) End() { r.eof = true }

// Output takes what is ready to go out.
func (r *Rewriter) Output() []byte {
	out := r.out
	r.out = nil
	return out
}

// Next goes on until somebody else has to do something. It returns nil when it needs input or has reached the end.
func (r *Rewriter) Next() (*Task, error) {
	for {
		if len(r.queue) > 0 {
			a := r.queue[0]
			r.queue = r.queue[1:]
			if a.run == nil {
				return &a.task, nil
			}
			a.run()
			continue
		}
		if r.found == needMore {
			r.found = r.next()
		}
		if r.found == needMore {
			if !r.eof || r.ended {
				return nil, nil
			}
			r.finish()
			continue
		}
		if err := r.process(); err != nil {
			return nil, err
		}
		if r.starved {
			r.starved = false
			return nil, nil
		}
	}
}

// do queues a function.
func (r *Rewriter) do(f func()) { r.queue = append(r.queue, action{run: f}) }

// call queues a call of a handler, if there is one.
func (r *Rewriter) call(handler any, t Token) {
	if handler != nil {
		r.queue = append(r.queue, action{task: Task{Handler: handler, Token: t}})
	}
}

// emit writes bytes, unless they are inside a removed element.
func (r *Rewriter) emit(b []byte) {
	if r.removing == 0 {
		r.out = append(r.out, b...)
	}
}

// place puts contents at the front of the queue: text as a step that writes it, a stream as a task.
func (r *Rewriter) place(parts ...[]Content) {
	if r.removing > 0 {
		return
	}
	var steps []action
	for _, list := range parts {
		for _, c := range list {
			if c.Stream != nil {
				steps = append(steps, action{run: func() { r.insert.html, r.insert.tail = c.HTML, nil }},
					action{task: Task{Stream: c.Stream}})
				continue
			}
			if len(steps) == 0 {
				r.out = append(r.out, r.written(c)...)
				continue
			}
			steps = append(steps, action{run: func() { r.out = append(r.out, r.written(c)...) }})
		}
	}
	r.queue = append(steps, r.queue...)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (r *Rewriter) written(c Content) []byte {
	if !c.HTML {
		return r.codec.encode(escaper.Replace(c.Text))
	}
	return r.codec.encode(c.Text)
}

// Insert writes a piece of the stream that the last task named; it must be UTF-8.
func (r *Rewriter) Insert(p []byte) error {
	p = append(r.insert.tail, p...)
	n := codec{}.whole(p)
	if !utf8.Valid(p[:n]) {
		return errUTF8
	}
	r.insert.tail = append([]byte(nil), p[n:]...)
	r.out = append(r.out, r.written(Content{Text: string(p[:n]), HTML: r.insert.html})...)
	return nil
}

// InsertEnd ends that stream.
func (r *Rewriter) InsertEnd() error {
	if len(r.insert.tail) > 0 {
		return errUTF8
	}
	return nil
}

// process handles the token that was found.
func (r *Rewriter) process() error {
	if r.found == tokenText {
		return r.processText()
	}
	if r.inText {
		// The end of the text node comes before what ended it.
		r.inText = false
		r.textChunk(&Text{last: true}, nil)
		return nil
	}
	kind := r.found
	r.found = needMore
	switch kind {
	case tokenStart:
		return r.startTag()
	case tokenEnd:
		r.endTag()
	case tokenComment:
		inner := r.inner
		raw := r.take()
		r.comment(raw, inner.of(raw))
	case tokenDoctype:
		raw := r.take()
		d := parseDoctype(r.codec.decode(raw))
		for _, h := range r.document {
			r.call(h.Doctype, d)
		}
		r.do(func() { r.emit(raw) })
	default:
		r.emit(r.take())
	}
	return nil
}

// finish ends the document.
func (r *Rewriter) finish() {
	if r.inText {
		r.inText = false
		r.textChunk(&Text{last: true}, nil)
		return
	}
	r.ended = true
	end := &DocumentEnd{}
	for _, h := range r.document {
		r.call(h.End, end)
	}
	// Elements that were never closed end here, and what was removed with them stays removed.
	r.do(func() { r.removing = 0; r.place(end.appended) })
}

// processText hands out text as far as it consists of whole characters.
func (r *Rewriter) processText() error {
	if !r.listening() {
		r.found, r.inText = needMore, true
		r.emit(r.take())
		return nil
	}
	if r.size == len(r.buf) && !r.eof {
		if n := r.codec.whole(r.buf); n == 0 {
			r.found = needMore
			r.starved = true
			return nil
		} else if n < r.size {
			r.size = n
		}
	}
	r.found, r.inText = needMore, true
	raw := r.take()
	r.textChunk(&Text{text: r.codec.decode(raw)}, raw)
	return nil
}

// listening tells whether anybody wants to hear of text here.
func (r *Rewriter) listening() bool {
	for _, h := range r.order {
		switch h := h.(type) {
		case *registration:
			if h.Text != nil && h.active > 0 {
				return true
			}
		case *DocumentHandlers:
			if h.Text != nil {
				return true
			}
		}
	}
	return false
}

func (r *Rewriter) textChunk(t *Text, raw []byte) {
	for _, h := range r.order {
		switch h := h.(type) {
		case *registration:
			if h.active > 0 {
				r.call(h.Text, t)
			}
		case *DocumentHandlers:
			r.call(h.Text, t)
		}
	}
	r.do(func() { r.write(&t.changes, raw) })
}

func (r *Rewriter) comment(raw, inner []byte) {
	c := &Comment{text: r.codec.decode(inner)}
	for _, h := range r.order {
		switch h := h.(type) {
		case *registration:
			if h.active > 0 {
				r.call(h.Comments, c)
			}
		case *DocumentHandlers:
			r.call(h.Comments, c)
		}
	}
	r.do(func() {
		if c.modified {
			raw = r.codec.encode("<!--" + c.text + "-->")
		}
		r.write(&c.changes, raw)
	})
}

// write writes a token with its changes.
func (r *Rewriter) write(c *changes, raw []byte) {
	if c.removed {
		r.place(c.before, c.replacement, c.after)
		return
	}
	if len(c.before)+len(c.after) == 0 {
		r.emit(raw)
		return
	}
	// place puts its steps in front, so what comes last is placed first.
	r.queue = append([]action{{run: func() { r.emit(raw); r.place(c.after) }}}, r.queue...)
	r.place(c.before)
}
