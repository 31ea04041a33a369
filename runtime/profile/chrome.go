package profile

import (
	"time"
)

// ChromeCPU is a CPU profile in the form of Chrome's DevTools: Profiler.Profile of its protocol, the content of a
// .cpuprofile file. The times are microseconds.
type ChromeCPU struct {
	Nodes      []*ChromeNode `json:"nodes"`
	StartTime  int64         `json:"startTime"`
	EndTime    int64         `json:"endTime"`
	Samples    []int         `json:"samples"`
	TimeDeltas []int64       `json:"timeDeltas"`
}

// ChromeNode is a function, below those that have called it.
type ChromeNode struct {
	ID            int           `json:"id"`
	CallFrame     ChromeFrame   `json:"callFrame"`
	HitCount      int           `json:"hitCount"`
	Children      []int         `json:"children,omitempty"`
	PositionTicks []ChromeTicks `json:"positionTicks,omitempty"`

	below map[Frame]*ChromeNode
}

// ChromeFrame is a function. Its lines and columns count from 0; -1 is none.
type ChromeFrame struct {
	FunctionName string `json:"functionName"`
	ScriptID     string `json:"scriptId"`
	URL          string `json:"url"`
	LineNumber   int    `json:"lineNumber"`
	ColumnNumber int    `json:"columnNumber"`
}

// ChromeTicks are how many samples a line (from 1) has.
type ChromeTicks struct {
	Line  int `json:"line"`
	Ticks int `json:"ticks"`
}

// Chrome gives a CPU profile in that form. script is the id of a file's script, which only debuggers know; nil is none.
// One Worker's profile is meant ([Profile.Of]): what several do at the same time, the form cannot say.
func (p *Profile) Chrome(script func(url string) string) *ChromeCPU {
	out := &ChromeCPU{StartTime: p.Began.UnixMicro(), Samples: []int{}, TimeDeltas: []int64{}}
	t := &chromeTree{script: script}
	root := t.node(nil, Frame{Function: "(root)"})
	idle := t.node(root, Frame{Function: "(idle)"})
	at := time.Duration(0)
	for i := range p.Samples {
		s := &p.Samples[i]
		n := idle
		if s.Stack != nil {
			n = t.path(root, s.Stack)
			n.tick(s.Stack[0].Line)
		}
		n.HitCount++
		out.Samples = append(out.Samples, n.ID)
		out.TimeDeltas = append(out.TimeDeltas, max(s.At, at).Microseconds()-at.Microseconds())
		at = max(s.At, at)
	}
	out.Nodes, out.EndTime = t.nodes, out.StartTime+p.Took.Microseconds()
	return out
}

type chromeTree struct {
	nodes  []*ChromeNode
	script func(url string) string
}

// path is the node of a stack.
func (t *chromeTree) path(root *ChromeNode, stack []Frame) *ChromeNode {
	n := root
	for i := len(stack) - 1; i >= 0; i-- {
		n = t.node(n, stack[i].function())
	}
	return n
}

// node is the node of a function below another.
func (t *chromeTree) node(parent *ChromeNode, f Frame) *ChromeNode {
	if parent != nil && parent.below[f] != nil {
		return parent.below[f]
	}
	n := &ChromeNode{ID: len(t.nodes) + 1, below: map[Frame]*ChromeNode{}, CallFrame: t.frame(f)}
	t.nodes = append(t.nodes, n)
	if parent != nil {
		parent.below[f] = n
		parent.Children = append(parent.Children, n.ID)
	}
	return n
}

func (t *chromeTree) frame(f Frame) ChromeFrame {
	out := ChromeFrame{FunctionName: f.Function, ScriptID: "0", URL: f.URL, LineNumber: f.BeginLine - 1,
		ColumnNumber: f.BeginColumn - 1}
	if t.script != nil && f.URL != "" {
		out.ScriptID = t.script(f.URL)
	}
	return out
}

func (n *ChromeNode) tick(line int) {
	if line == 0 {
		return
	}
	for i := range n.PositionTicks {
		if n.PositionTicks[i].Line == line {
			n.PositionTicks[i].Ticks++
			return
		}
	}
	n.PositionTicks = append(n.PositionTicks, ChromeTicks{line, 1})
}

// ChromeHeap is a heap profile in the form of Chrome's DevTools: HeapProfiler.SamplingHeapProfile, the content of a
// .heapprofile file.
type ChromeHeap struct {
	Head    *ChromeHeapNode    `json:"head"`
	Samples []ChromeHeapSample `json:"samples"`
}

// ChromeHeapNode is a function with the bytes that it has allocated itself and that are alive.
type ChromeHeapNode struct {
	CallFrame ChromeFrame       `json:"callFrame"`
	SelfSize  int64             `json:"selfSize"`
	ID        int               `json:"id"`
	Children  []*ChromeHeapNode `json:"children"`
}

// ChromeHeapSample is what was allocated at a node.
type ChromeHeapSample struct {
	Size    int64 `json:"size"`
	NodeID  int   `json:"nodeId"`
	Ordinal int   `json:"ordinal"`
}

// ChromeHeap gives a heap profile in that form.
func (p *Profile) ChromeHeap(script func(url string) string) *ChromeHeap {
	t := &chromeTree{script: script}
	root := t.node(nil, Frame{Function: "(root)"})
	sizes := map[int]int64{}
	out := &ChromeHeap{Samples: []ChromeHeapSample{}}
	for i := range p.Samples {
		s := &p.Samples[i]
		if s.Live <= 0 {
			continue
		}
		n := t.path(root, s.Stack)
		sizes[n.ID] += s.Live
		out.Samples = append(out.Samples, ChromeHeapSample{s.Live, n.ID, i + 1})
	}
	var heap func(n *ChromeNode) *ChromeHeapNode
	heap = func(n *ChromeNode) *ChromeHeapNode {
		h := &ChromeHeapNode{CallFrame: n.CallFrame, SelfSize: sizes[n.ID], ID: n.ID, Children: []*ChromeHeapNode{}}
		for _, id := range n.Children {
			h.Children = append(h.Children, heap(t.nodes[id-1]))
		}
		return h
	}
	out.Head = heap(root)
	return out
}
