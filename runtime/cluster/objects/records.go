package objects

// RecordsSchema is the index of a store that only grows, a pipeline: the values that were added, in their order. It is
// here because an archive reads and makes it, too.
const RecordsSchema = `CREATE TABLE IF NOT EXISTS records (n INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL,
	size INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS records_value ON records(value);`
