package bundle

// nameCalls removes esbuild's __name(value, "name") helper calls where the engine infers the same name by itself.
type nameCalls struct{}

func (*nameCalls) begin(*rewriter, token) {}
func (*nameCalls) punct(*rewriter, token) {}
