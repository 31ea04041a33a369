package session

import "testing"

// Once closed nothing is started any more, so that waiting never races a start.
func TestTasks(t *testing.T) {
	var all tasks
	started, goOn := make(chan struct{}), make(chan struct{})
	if !all.Go(func() { close(started); <-goOn }) {
		t.Fatal("nothing is started")
	}
	<-started
	all.close()
	if all.Go(func() { t.Error("started after the close") }) {
		t.Error("a task was taken after the close")
	}
	close(goOn)
	all.wait()
}
