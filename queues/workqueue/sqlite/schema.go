package sqlite

import (
	"context"
	"fmt"

	"eddy/runtime/sqlite"
)

// migrations make the tables, each from the version before. They are only ever added to.
var migrations = []string{`
CREATE TABLE workqueue_jobs (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL,
	topic TEXT NOT NULL,
	priority INTEGER NOT NULL,
	state INTEGER NOT NULL,
	due INTEGER NOT NULL,
	since INTEGER NOT NULL,
	attempt INTEGER NOT NULL DEFAULT 0,
	enqueued INTEGER NOT NULL,
	token TEXT NOT NULL DEFAULT '',
	origin TEXT NOT NULL DEFAULT '',
	reason TEXT NOT NULL DEFAULT '',
	trace TEXT NOT NULL DEFAULT '',
	payload BLOB NOT NULL
);
CREATE INDEX workqueue_ready ON workqueue_jobs (topic, priority DESC, due, seq) WHERE state = 0;
CREATE INDEX workqueue_hidden ON workqueue_jobs (topic, due) WHERE state > 0;
CREATE INDEX workqueue_dead ON workqueue_jobs (origin) WHERE origin <> '';
`}

// migrate brings the tables up to date.
func (c *connection) migrate(ctx context.Context) error {
	return c.transact(ctx, func() error {
		if err := c.db.Exec("CREATE TABLE IF NOT EXISTS workqueue_schema (version INTEGER NOT NULL)"); err != nil {
			return err
		}
		version := 0
		err := c.run("SELECT max(version) FROM workqueue_schema", func(s *sqlite.Stmt) { version = int(s.Int(0)) })
		if err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("%s has version %d of the work queue's tables, this program knows %d: use a newer one",
				c.db.Path(), version, len(migrations))
		}
		for ; version < len(migrations); version++ {
			if err := c.db.Exec(migrations[version]); err != nil {
				return err
			}
			if err := c.run("INSERT INTO workqueue_schema VALUES (?)", nil, version+1); err != nil {
				return err
			}
		}
		return nil
	})
}
