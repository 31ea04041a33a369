CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
INSERT INTO books (title) VALUES ('Tide'), ('Ebb');
