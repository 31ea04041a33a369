package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A second node of the same name does not empty the folder of the one that runs, and the next one finds it empty.
func TestScratchIsOneNodes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scratch")
	folder, release, err := takeScratch(dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(folder, "file")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, []byte("of a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := takeScratch(dir, "a"); err == nil || !strings.Contains(err.Error(), "runs node a there") {
		t.Errorf("a second node of the name: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the running node's file: %v", err)
	}
	_, other, err := takeScratch(dir, "b")
	if err != nil {
		t.Fatalf("a node of another name: %v", err)
	}
	other()
	release()
	again, release, err := takeScratch(dir, "a")
	if err != nil || again != folder {
		t.Fatalf("after the end: %q, %v", again, err)
	}
	defer release()
	if _, err := os.Stat(kept); !os.IsNotExist(err) {
		t.Errorf("what the last node left: %v", err)
	}
}

// A node takes away what killed ones left in the temporary folder, and nothing of those that run.
func TestScratchIsSwept(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp) // Windows
	left := filepath.Join(temp, scratchPrefix+"left")
	if err := os.MkdirAll(filepath.Join(left, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, scratchLock), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, release, err := takeScratch("", "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a killed node's folder: %v", err)
	}
	_, other, err := takeScratch("", "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(first)); err != nil {
		t.Errorf("the running node's folder: %v", err)
	}
	other()
	release()
	rest, err := os.ReadDir(temp)
	if err != nil || len(rest) > 0 {
		t.Errorf("after the end of both: %v, %v", rest, err)
	}
}
