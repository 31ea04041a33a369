package clock

import "testing"

// Time stands still while an end of a handover works, and only then: from Attend to leave without the waits.
func TestHandover(t *testing.T) {
	v := NewVirtual(start(), 1)
	h := NewHandover(v, "a test")
	held := func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.holds) > 0
	}
	expect := func(want bool, when string) {
		t.Helper()
		if held() != want {
			t.Errorf("held %v %s", !want, when)
		}
	}
	expect(false, "before anybody attends")
	h.Wait()
	h.Resume()
	expect(false, "after a wait of one who does not attend")
	leave := h.Attend()
	expect(true, "when somebody attends")
	h.Wait()
	expect(false, "while the one who attends waits")
	h.Resume()
	expect(true, "after the wait")
	h.Wait()
	leave()
	h.Resume()
	expect(false, "when the one who attended has left while it waited")
	again := h.Attend()
	leave()
	expect(true, "when somebody else attends and the first leaves twice")
	again()
	expect(false, "at the end")
}
