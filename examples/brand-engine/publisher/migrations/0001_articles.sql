CREATE TABLE articles (event_id TEXT PRIMARY KEY, keyword TEXT, title TEXT, page TEXT);
