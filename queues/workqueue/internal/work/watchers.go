package work

import "sync"

// Watchers are who watches a store, by topic. The zero value is none. Methods may be called from any goroutine, also
// with a lock of the store held: nothing here blocks.
type Watchers struct {
	mu      sync.Mutex // guards byTopic and what is in it
	byTopic map[string]map[*Watcher]bool
}

// Add lets w be woken for the topic until stop is called. A watcher watches one topic.
func (ws *Watchers) Add(topic string, w *Watcher) (stop func()) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.byTopic == nil {
		ws.byTopic = map[string]map[*Watcher]bool{}
	}
	if ws.byTopic[topic] == nil {
		ws.byTopic[topic] = map[*Watcher]bool{}
	}
	ws.byTopic[topic][w] = true
	return func() { ws.remove(topic, w) }
}

func (ws *Watchers) remove(topic string, w *Watcher) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.byTopic[topic], w)
	if len(ws.byTopic[topic]) == 0 {
		delete(ws.byTopic, topic)
	}
}

// Any reports whether anybody watches.
func (ws *Watchers) Any() bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return len(ws.byTopic) > 0
}

// Wake wakes who watches one of the topics.
func (ws *Watchers) Wake(topics ...string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, topic := range topics {
		for w := range ws.byTopic[topic] {
			w.Wake()
		}
	}
}

// WakeAll wakes everybody.
func (ws *Watchers) WakeAll() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, watching := range ws.byTopic {
		for w := range watching {
			w.Wake()
		}
	}
}
