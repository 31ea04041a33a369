CREATE TABLE processed_events (event_id TEXT PRIMARY KEY, type TEXT, source TEXT, processed_at INTEGER);
