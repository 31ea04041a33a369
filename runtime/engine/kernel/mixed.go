package kernel

// The tags of what is mixed: a number or undefined, a boolean, null, and from tagInput on one of the inputs.
const (
	tagNumber = iota
	tagBoolean
	tagNull
	tagInput
)

// tag is the local that says what a mixed variable is.
func (l *lowerer) tag(v *variable) int {
	return l.slot(l.facts.variable(v.key.context, v, "tag"), repI32)
}

// mix notes what a variable is where it may be something else on another way.
func (l *lowerer) mix(v *variable, now bound) {
	tag := tagNumber
	switch {
	case now.array != nil:
		tag = tagInput + now.array.input
	case now.object != nil:
		tag = tagInput + now.object.index
	case now.null:
		tag = tagNull
	case now.boolean:
		tag = tagBoolean
	}
	if now.scalar() {
		x := l.loose(value{number: now.number, code: get(l.slot(v, now.rep()))})
		l.emit(x.code, set(l.slot(v, repF64)))
	}
	l.emit(constI32(int32(tag)), set(l.tag(v)))
}
