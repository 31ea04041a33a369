-- For operators: claims a job that no worker has (token, visibility, id), or, with an empty token, removes it. Answers its
-- payload, priority, enqueued, trace and origin, or nothing.
local token, visibility, id = ARGV[2], tonumber(ARGV[3]), ARGV[4]
local fields = redis.call('HMGET', job(id), 'payload', 'priority', 'enqueued', 'trace', 'origin', 'due', 'seq')
if not fields[1] then return false end
local due = redis.call('ZSCORE', claimed, id)
if due and tonumber(due) > now then return false end
redis.call('ZREM', delayed, id)
redis.call('ZREM', claimed, id)
redis.call('ZREM', ready, string.format('%016.0f%016.0f:', tonumber(fields[6]), tonumber(fields[7])) .. id)
if token == '' then
  redis.call('DEL', job(id))
else
  redis.call('HSET', job(id), 'token', token, 'due', int(now + visibility), 'since', int(now))
  redis.call('ZADD', claimed, int(now + visibility), id)
end
return {fields[1], fields[2], fields[3], fields[4] or '', fields[5] or ''}
