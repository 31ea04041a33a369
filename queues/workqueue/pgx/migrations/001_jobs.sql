CREATE TABLE workqueue_jobs (
	seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	id uuid NOT NULL,
	topic text NOT NULL,
	priority smallint NOT NULL,
	state smallint NOT NULL,
	due timestamptz NOT NULL,
	since timestamptz,
	attempt integer NOT NULL DEFAULT 0,
	enqueued timestamptz NOT NULL,
	token uuid,
	origin text,
	reason text,
	trace text,
	payload bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0,
	autovacuum_analyze_threshold = 10000);
CREATE INDEX workqueue_ready ON workqueue_jobs (topic, priority DESC, due, seq) WHERE state = 0;
CREATE INDEX workqueue_hidden ON workqueue_jobs (topic, due) WHERE state > 0;
CREATE INDEX workqueue_dead ON workqueue_jobs (origin) WHERE origin IS NOT NULL;
COMMENT ON TABLE workqueue_jobs IS 'Jobs of eddy/queues/workqueue; see its package pgx.';
COMMENT ON COLUMN workqueue_jobs.state IS '0 ready, 1 delayed, 2 claimed';
COMMENT ON COLUMN workqueue_jobs.due IS 'when the job became or becomes eligible; of a claimed one: again';
COMMENT ON COLUMN workqueue_jobs.since IS 'when due was counted from; null if it is an absolute time';
COMMENT ON COLUMN workqueue_jobs.token IS 'of the latest claim';
COMMENT ON COLUMN workqueue_jobs.origin IS 'the topic in which a dead job failed';
