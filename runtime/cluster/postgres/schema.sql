create table eddy_cluster (
	one boolean primary key default true check (one),
	format int not null,
	object_shards int not null,
	token text not null,
	probed bigint not null default 0
);

create table eddy_node (
	id text primary key,
	name text not null,
	beat bigint not null default 1,
	url text not null,
	cert bytea not null,
	hash text not null,
	lease_ms bigint not null,
	ready boolean not null default false,
	drain smallint not null default 0,
	ended boolean not null default false
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

create unique index eddy_node_name on eddy_node (name) where not ended;

create table eddy_note (
	name text primary key,
	version bigint not null,
	value bytea not null
);

create table eddy_shard (
	id int primary key,
	owner text not null default '',
	epoch bigint not null default 0,
	head bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

create table eddy_kv (
	shard int not null,
	key bytea not null,
	value bytea not null,
	primary key (shard, key)
) with (
	autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0,
	autovacuum_vacuum_insert_scale_factor = 0.1,
	toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_cost_delay = 0
);

-- Values are not compressed: what is large is compressed already or does not shrink.
alter table eddy_kv alter column value set storage external;
