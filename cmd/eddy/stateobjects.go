package main

import (
	"errors"
	"fmt"

	"eddy/durableobject/storage"
	"eddy/runtime/statedir"
)

// damagedObject is, for --json, an object whose file is not as the object left it.
type damagedObject struct {
	Namespace  string `json:"namespace"`
	ID         string `json:"id"`
	File       string `json:"file"`
	Reason     string `json:"reason"`
	Repairable bool   `json:"repairable"`
	// Kept is where the damaged file lies after a repair.
	Kept string `json:"kept,omitempty"`
}

// checkObjects finds the damaged objects of a state directory on which no session runs. With repair it repairs them.
func checkObjects(dir statedir.Dir, repair bool) ([]damagedObject, error) {
	found, err := storage.Check(dir)
	if err != nil {
		return nil, &exitError{exitFailure, err}
	}
	list := []damagedObject{}
	for _, d := range found {
		o := damagedObject{Namespace: d.Namespace, ID: d.ID, File: d.Path, Reason: d.Err.Error(),
			Repairable: d.Repairable}
		if repair && d.Repairable {
			if o.Kept, err = d.Repair(); err != nil {
				return list, &exitError{exitFailure, err}
			}
		}
		list = append(list, o)
	}
	return list, nil
}

// tellObjects prints, for people, which objects are damaged, and what a repair would do or did.
func tellObjects(out output, list []damagedObject) error {
	var errs []error
	for _, o := range list {
		what := "its history does not hold what it was: put a copy of the file in its place, or remove the object " +
			"with eddy objects delete"
		switch {
		case o.Kept != "":
			what = "repaired; the damaged file is kept as " + o.Kept
		case o.Repairable:
			what = "a repair puts back what the object last held, and keeps this file beside it"
		}
		_, err := fmt.Fprintf(out.w, "damaged object: %s of %s: %s: %s\n  %s\n", o.ID, o.Namespace, o.File, o.Reason,
			what)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// unrepaired tells whether an object is still damaged.
func unrepaired(list []damagedObject) bool {
	for _, o := range list {
		if o.Kept == "" {
			return true
		}
	}
	return false
}
