package main

import (
	"fmt"
	"strings"

	"eddy/runtime/journal"
	"eddy/runtime/replay"
)

// replayOutput shows what became of a replay.
type replayOutput struct {
	output
	color bool
	// update says that --update could accept what came.
	update bool
}

// replayItem is an event in JSON.
type replayItem struct {
	File        string              `json:"file,omitempty"`
	Line        int                 `json:"line,omitempty"`
	Again       int                 `json:"again,omitempty"`
	Kind        journal.Kind        `json:"kind"`
	Title       string              `json:"title"`
	At          string              `json:"at"`
	Known       bool                `json:"compared"`
	Differs     bool                `json:"differs"`
	Outcome     string              `json:"outcome,omitempty"`
	Failed      string              `json:"failed,omitempty"`
	Unanswered  []string            `json:"unanswered,omitempty"`
	Differences []replay.Difference `json:"differences,omitempty"`
	Children    []replayItem        `json:"children,omitempty"`
}

func replayItems(events []*replay.Replayed) []replayItem {
	list := []replayItem{}
	for _, e := range events {
		item := replayItem{File: e.File, Line: e.Number, Again: e.Again, Kind: e.Line.Kind, Title: replay.Title(e.Line),
			At: e.Line.At, Known: e.Line.Outcome != "", Differs: e.Differs(), Failed: e.Failed,
			Unanswered:  e.Unanswered,
			Differences: e.Differences}
		if e.Got != nil {
			item.Outcome = e.Got.Outcome
		}
		if len(e.Children) > 0 {
			item.Children = replayItems(e.Children)
		}
		list = append(list, item)
	}
	return list
}

// shownEvents is how many events are shown although they came as in the file.
const shownEvents = 100

// events shows events and returns how many differ.
func (o replayOutput) events(list []*replay.Replayed) (differ int, err error) {
	silent := 0 // events of which the file does not say what became of them
	for _, e := range list {
		if e.Differs() {
			differ++
		} else if e.Line.Outcome == "" {
			silent++
		}
	}
	summary := fmt.Sprintf("%s ran again: %d as in the file", count(len(list), "event"), len(list)-differ-silent)
	if differ > 0 {
		summary += fmt.Sprintf(", %d otherwise", differ)
	}
	if silent > 0 {
		summary += fmt.Sprintf(", %d of which the file does not say what became of them", silent)
	}
	return differ, o.value(map[string]any{"events": replayItems(list), "ran": len(list), "differ": differ},
		func() error {
			var b strings.Builder
			show := replay.Show{Color: o.color}
			for _, e := range list {
				if e.Differs() || len(list) <= shownEvents {
					show.Event(&b, e)
				}
			}
			b.WriteString(summary + "\n")
			if o.update && differ+silent > 0 {
				b.WriteString(show.Paint("2", "--update writes what came into the file") + "\n")
			}
			_, err := fmt.Fprint(o.w, b.String())
			return err
		})
}
