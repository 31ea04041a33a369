package wrangler

import "fmt"

// CheckTogether reports mistakes that only show when several Workers run in one process (repeated -c).
func CheckTogether(configs []*Config) Diagnostics {
	var rep report
	workers := make(map[string]*Config)
	consumers := make(map[string]*Config)
	for _, c := range configs {
		if earlier, twice := workers[c.Name]; twice && c.Name != "" {
			rep.add(Diagnostic{
				Severity: Error, File: c.Path, Text: fmt.Sprintf("Two Workers are called %q.", c.Name),
				Fix:   "change one of the two names",
				Notes: []string{"The other one is " + earlier.Path + "."}})
		}
		workers[c.Name] = c
		for _, consumer := range c.Queues.Consumers {
			if earlier, twice := consumers[consumer.Queue]; twice {
				rep.add(c.Diagnose(
					consumer.Pos, Error,
					fmt.Sprintf("Multiple consumers defined for queue %q: %q and %q", consumer.Queue, earlier.Name,
						c.Name),
					"remove one of the two", "A queue has one consumer."))
				continue
			}
			consumers[consumer.Queue] = c
		}
	}
	return rep.sorted()
}
