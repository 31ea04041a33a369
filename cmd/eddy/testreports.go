package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"eddy/runtime/testrun/reporter"
)

// reportOptions reads what the configuration says of a reporter into options, which has the defaults.
func (f *testFlags) reportOptions(name string, options any) error {
	for _, r := range f.reports {
		if r.Name != name || len(r.Options) == 0 {
			continue
		}
		if err := json.Unmarshal(r.Options, options); err != nil {
			return asFailure(fmt.Errorf("test.reporters: the options of %q: %w", name, err))
		}
	}
	return nil
}

// junit are the options of the reporter junit (TEST-130).
func (f *testFlags) junit() (reporter.JUnitOptions, error) {
	o := reporter.DefaultJUnit
	err := f.reportOptions("junit", &o)
	if o.SuiteName == "" {
		o.SuiteName = reporter.DefaultJUnit.SuiteName
	}
	return o, err
}

// outputFile is the file for a reporter's report: what its own options say, the command line, or the configuration.
func (f *testFlags) outputFile(name string) (string, error) {
	var own struct {
		OutputFile string `json:"outputFile"`
	}
	if err := f.reportOptions(name, &own); err != nil || own.OutputFile != "" {
		return own.OutputFile, err
	}
	for _, given := range f.outputFiles {
		if reporterName, path, ok := strings.Cut(given, "="); ok {
			if reporterName == name {
				return path, nil
			}
		} else if name == "json" || name == "junit" {
			return given, nil
		}
	}
	return "", nil
}
