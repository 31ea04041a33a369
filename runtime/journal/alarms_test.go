package journal

import (
	"os"
	"path/filepath"
	"testing"

	"eddy/runtime/cause"
)

// The cause of an alarm that waits is known to the next session, also after a crash; one that was forgotten is not.
func TestAlarmCausesOutliveTheSession(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w")
	first, second, third := cause.New(), cause.New(), cause.New()
	j, _ := open(t, Options{Dir: dir})
	j.SetAlarm("a", first)
	j.SetAlarm("b", second)
	j.SetAlarm("a", third)
	j.SetAlarm("b", cause.Cause{})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, alarmsFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A crash cuts the last line.
	if err := os.WriteFile(file, append(text, "c\t00-4bf92f3577b34da6a3ce929d0e0e4736-00f0"...), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		j, said := open(t, Options{Dir: dir})
		if got := j.AlarmCause("a"); got != third {
			t.Errorf("the cause of a is %v, want %v", got, third)
		}
		for _, key := range []string{"b", "c"} {
			if got := j.AlarmCause(key); got.Valid() {
				t.Errorf("%s has the cause %v", key, got)
			}
		}
		if err := j.Close(); err != nil || said.all() != "" {
			t.Error(err, said.all())
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "a\t"+third.String()+"\n" {
		t.Errorf("the file has %q: %v", text, err)
	}
	j, _ = open(t, Options{Dir: dir})
	j.SetAlarm("a", cause.Cause{})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, _ = open(t, Options{Dir: dir})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("no alarm waits, and there is still a file: %v", err)
	}
}
