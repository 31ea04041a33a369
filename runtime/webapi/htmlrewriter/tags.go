package htmlrewriter

import (
	"strings"
)

// The namespaces of elements.
const (
	namespaceHTML   = "http://www.w3.org/1999/xhtml"
	namespaceSVG    = "http://www.w3.org/2000/svg"
	namespaceMathML = "http://www.w3.org/1998/Math/MathML"
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

var (
	voidElements = wordSet(
		"area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
	// breakout are the HTML elements that end SVG and MathML.
	breakout = wordSet(`b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li
		listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var`)
	svgIntegration    = wordSet("foreignobject desc title")
	mathMLIntegration = wordSet("mi mo mn ms mtext annotation-xml")
)

// parent is the innermost open element, or what stands for the document.
func (r *Rewriter) parent() *openElement {
	if len(r.stack) == 0 {
		return &r.root
	}
	return &r.stack[len(r.stack)-1]
}

// namespaceOf is the namespace of the element that a start tag opens.
func namespaceOf(name string, parent *openElement) string {
	switch {
	case name == "svg":
		return namespaceSVG
	case name == "math":
		return namespaceMathML
	case parent.namespace == namespaceSVG && !svgIntegration[parent.name] && !breakout[name],
		parent.namespace == namespaceMathML && !mathMLIntegration[parent.name] && !breakout[name]:
		return parent.namespace
	}
	return namespaceHTML
}

// startTag handles the start tag at the start of the input.
func (r *Rewriter) startTag() error {
	tag := &r.tag
	spans, selfClosing, nameSpan := tag.attrs, tag.selfClosing, tag.name
	raw := r.take()
	parent := r.parent()
	f := openElement{subject: subject{name: r.codec.decode([]byte(lower(nameSpan.of(raw))))}}
	f.namespace = namespaceOf(f.name, parent)
	foreign := f.namespace != namespaceHTML
	for _, a := range spans {
		f.attrs = append(
			f.attrs, Attribute{r.codec.decode([]byte(lower(a.name.of(raw)))), r.codec.decode(a.value.of(raw))})
	}
	f.index, f.typeIndex = parent.count(f.name, r.ofType)

	content := !voidElements[f.name] && !(foreign && selfClosing)
	if !foreign && r.esi && (f.name == "esi:include" || f.name == "esi:comment") {
		content = false
	}
	if content && !foreign {
		if r.mode = modeOf(f.name); r.mode != modeData {
			r.closer = f.name
		}
	}
	if len(r.stack) >= maxDepth {
		return errMemory
	}

	handled := false
	for i, h := range r.handlers {
		if h.Selector.matches(&f.subject, r.stack) {
			f.matched = append(f.matched, i)
			handled = handled || h.Element != nil
		}
	}
	if !handled {
		r.emit(raw)
		r.open(f, content)
		return nil
	}
	e := &Element{name: f.name, namespace: f.namespace, selfClosing: selfClosing, content: content}
	e.attrs = append([]Attribute(nil), f.attrs...)
	for _, a := range spans {
		e.raw = append(e.raw, a.whole.of(raw))
	}
	for _, i := range f.matched {
		r.call(r.handlers[i].Element, e)
	}
	r.do(func() {
		f.end = e.end
		// The element's own content starts after what stands in front of it, so the element is opened before that is
		// placed.
		r.queue = append([]action{{run: func() { r.opened(f, e) }}}, r.queue...)
		if e.modified {
			raw = r.startTagText(e)
		}
		r.write(&e.changes, raw)
	})
	return nil
}

// opened opens an element whose start tag has been written.
func (r *Rewriter) opened(f openElement, e *Element) {
	f.removed = e.removeContent
	r.open(f, e.content)
	if f.removed && e.content {
		r.removing++
	}
}

func (f *openElement) count(name string, byType bool) (index, typeIndex int) {
	f.children++
	if byType {
		if f.types == nil {
			f.types = map[string]int{}
		}
		f.types[name]++
	}
	return f.children, f.types[name]
}

// open puts an element on the stack, if it has an end tag to come.
func (r *Rewriter) open(f openElement, content bool) {
	if !content {
		return
	}
	for _, i := range f.matched {
		r.handlers[i].active++
	}
	r.stack = append(r.stack, f)
	r.foreign = f.namespace != namespaceHTML
}

// startTagText writes a changed start tag anew.
func (r *Rewriter) startTagText(e *Element) []byte {
	b := append([]byte{'<'}, r.codec.encode(e.name)...)
	for i, a := range e.attrs {
		b = append(b, ' ')
		if e.raw[i] != nil {
			b = append(b, e.raw[i]...)
			continue
		}
		b = append(b, r.codec.encode(a.Name+`="`+strings.ReplaceAll(a.Value, `"`, "&quot;")+`"`)...)
	}
	if e.selfClosing {
		b = append(b, ' ', '/')
	}
	return append(b, '>')
}

// endTag handles the end tag at the start of the input: it ends the nearest open element of its name, and all that
// were opened inside it.
func (r *Rewriter) endTag() {
	nameSpan := r.tag.name
	raw := r.take()
	name := r.codec.decode([]byte(lower(nameSpan.of(raw))))
	at := len(r.stack) - 1
	for at >= 0 && r.stack[at].name != name {
		at--
	}
	if at < 0 {
		r.emit(raw)
		return
	}
	end := &EndTag{name: name}
	for i := len(r.stack) - 1; i > at; i-- {
		// It has no end tag of its own: what should stand at its end stands here.
		r.do(func() { f := r.pop(); r.place(f.end.before, f.end.after) })
		for _, h := range r.stack[i].end.handlers {
			r.call(h, end)
		}
	}
	own := &r.stack[at].end
	end.changes = own.changes
	if own.name != "" {
		end.SetName(own.name)
	}
	r.do(func() { r.pop() })
	for _, h := range own.handlers {
		r.call(h, end)
	}
	r.do(func() {
		if end.renamed {
			raw = r.codec.encode("</" + end.name + ">")
		}
		r.write(&end.changes, raw)
	})
}

// pop closes the innermost element.
func (r *Rewriter) pop() openElement {
	f := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	for _, i := range f.matched {
		r.handlers[i].active--
	}
	if f.removed {
		r.removing--
	}
	r.foreign = len(r.stack) > 0 && r.stack[len(r.stack)-1].namespace != namespaceHTML
	return f
}
