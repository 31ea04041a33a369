package htmlrewriter

import (
	"errors"
	"fmt"
	"strings"
)

// Content is what a handler inserts: text, or a stream that is opened when its turn comes.
type Content struct {
	// HTML is inserted as it is; else the text is escaped.
	HTML bool
	Text string
	// Stream is a stream of the driver's own kind, nil for text.
	Stream any
}

// changes are what handlers want done to a token.
type changes struct {
	before, after, replacement []Content
	removed                    bool
}

// Before inserts in front of the token. A later call inserts behind what an earlier one has inserted.
func (c *changes) Before(v Content) { c.before = append(c.before, v) }

// After inserts behind the token. A later call inserts nearer to the token.
func (c *changes) After(v Content) { c.after = append([]Content{v}, c.after...) }

// Replace puts something in the token's place; the last call counts.
func (c *changes) Replace(v Content) { c.removed, c.replacement = true, []Content{v} }

// Remove takes the token out.
func (c *changes) Remove() { c.removed, c.replacement = true, nil }

// Removed tells whether the token is taken out or replaced.
func (c *changes) Removed() bool { return c.removed }

// Token is what a handler is called with.
type Token interface{ token() }

// Attribute is an attribute of an element; Name is in lower case, Value as it stands in the source.
type Attribute struct{ Name, Value string }

// Element is a start tag, and through it the whole element.
type Element struct {
	changes
	name, namespace string
	attrs           []Attribute
	// raw holds each attribute as it stood, nil for those that were set.
	raw         [][]byte
	selfClosing bool
	// content says that an end tag must come; void elements have none.
	content bool
	// modified says that the tag must be written anew: it was renamed, or its attributes were changed.
	modified bool
	// Generation counts the changes of attributes.
	Generation int

	removeContent bool
	end           endPart
}

// endPart is what an element has in store for its end tag.
type endPart struct {
	changes
	name     string // the new name, if the element was renamed
	handlers []any
}

// EndTag is the end tag of an element.
type EndTag struct {
	changes
	name    string
	renamed bool
}

// Text is a piece of a text node.
type Text struct {
	changes
	text string
	last bool
}

// Comment is a comment.
type Comment struct {
	changes
	text     string
	modified bool
}

// Doctype is a document type declaration; nil parts are missing.
type Doctype struct{ name, publicID, systemID *string }

// DocumentEnd is the end of the document.
type DocumentEnd struct{ appended []Content }

func (*Element) token()     {}
func (*EndTag) token()      {}
func (*Text) token()        {}
func (*Comment) token()     {}
func (*Doctype) token()     {}
func (*DocumentEnd) token() {}

// checkName checks a tag or attribute name; what names it in the error.
func checkName(name, what, forbidden string) error {
	if name == "" {
		// the platform's text
		return fmt.Errorf("%s name can't be empty.", strings.ToUpper(what[:1])+what[1:])
	}
	if i := strings.IndexAny(name, forbidden); i >= 0 {
		return fmt.Errorf("`%c` character is forbidden in the %s name", name[i], what)
	}
	return nil
}

// TagName is in lower case.
func (e *Element) TagName() string { return e.name }

// SetTagName renames the element, its end tag too.
func (e *Element) SetTagName(name string) error {
	if name != "" && !letter(name[0]) {
		// the platform's text
		return errors.New("The first character of the tag name should be an ASCII alphabetical character.")
	}
	if err := checkName(name, "tag", " \n\r\t\f/>"); err != nil {
		return err
	}
	e.name, e.end.name, e.modified = name, name, true
	return nil
}

// NamespaceURI is the namespace that the element is in.
func (e *Element) NamespaceURI() string { return e.namespace }

// Attributes are the attributes in their order; the slice must not be changed.
func (e *Element) Attributes() []Attribute { return e.attrs }

// Attribute is the value of an attribute.
func (e *Element) Attribute(name string) (string, bool) {
	return (&subject{attrs: e.attrs}).attribute(strings.ToLower(name))
}

// SetAttribute changes or adds an attribute.
func (e *Element) SetAttribute(name, value string) error {
	name = strings.ToLower(name)
	if err := checkName(name, "attribute", " \n\r\t\f/>="); err != nil {
		return err
	}
	e.modified = true
	e.Generation++
	for i := range e.attrs {
		if e.attrs[i].Name == name {
			e.attrs[i].Value, e.raw[i] = value, nil
			return nil
		}
	}
	e.attrs, e.raw = append(e.attrs, Attribute{name, value}), append(e.raw, nil)
	return nil
}

// RemoveAttribute removes an attribute if it is there.
func (e *Element) RemoveAttribute(name string) {
	name = strings.ToLower(name)
	e.Generation++
	for i := 0; i < len(e.attrs); i++ {
		if e.attrs[i].Name == name {
			e.attrs, e.raw = append(e.attrs[:i:i], e.attrs[i+1:]...), append(e.raw[:i:i], e.raw[i+1:]...)
			e.modified = true
			i--
		}
	}
}

// Prepend inserts right after the start tag. A later call inserts in front of what an earlier one has inserted.
func (e *Element) Prepend(v Content) {
	if e.content {
		e.changes.After(v)
	}
}

// Append inserts right before the end tag.
func (e *Element) Append(v Content) {
	if e.content {
		e.end.Before(v)
	}
}

// After inserts behind the whole element.
func (e *Element) After(v Content) {
	if e.content {
		e.end.After(v)
		return
	}
	e.changes.After(v)
}

// SetInnerContent replaces what is in the element.
func (e *Element) SetInnerContent(v Content) {
	if e.content {
		e.dropContent()
		e.changes.After(v)
	}
}

func (e *Element) dropContent() {
	e.changes.after, e.end.before, e.removeContent = nil, nil, true
}

// Replace puts something in the place of the whole element.
func (e *Element) Replace(v Content) {
	e.changes.Replace(v)
	e.removeRest()
}

// Remove takes the whole element out.
func (e *Element) Remove() {
	e.changes.Remove()
	e.removeRest()
}

func (e *Element) removeRest() {
	if e.content {
		e.end.Remove()
		e.dropContent()
	}
}

// RemoveAndKeepContent takes the tags out.
func (e *Element) RemoveAndKeepContent() {
	e.changes.Remove()
	if e.content {
		e.end.Remove()
	}
}

// OnEndTag sets the handler of the end tag, in place of an earlier one.
func (e *Element) OnEndTag(handler any) error {
	if !e.content {
		return errors.New("No end tag.") // the platform's text
	}
	e.end.handlers = []any{handler}
	return nil
}

// Name is the tag's name in lower case.
func (e *EndTag) Name() string { return e.name }

// SetName renames the end tag alone.
func (e *EndTag) SetName(name string) { e.name, e.renamed = name, true }

// Text is the decoded text of the chunk.
func (t *Text) Text() string { return t.text }

// Last tells whether the text node ends here. The last chunk is always empty.
func (t *Text) Last() bool { return t.last }

// Text is the text between the marks.
func (c *Comment) Text() string { return c.text }

// SetText changes the text.
func (c *Comment) SetText(s string) error {
	if strings.Contains(s, "-->") {
		// the platform's text
		return errors.New("Comment text shouldn't contain comment closing sequence (`-->`).")
	}
	c.text, c.modified = s, true
	return nil
}

// Name is the declared name in lower case, nil if there is none.
func (d *Doctype) Name() *string { return d.name }

// PublicID is the public identifier, nil if there is none.
func (d *Doctype) PublicID() *string { return d.publicID }

// SystemID is the system identifier, nil if there is none.
func (d *Doctype) SystemID() *string { return d.systemID }

// Append adds to the end of the document.
func (d *DocumentEnd) Append(v Content) { d.appended = append(d.appended, v) }
