let seen = [];
addEventListener("queue", (e) => {
  const m = e.messages[0];
  seen.push([
    Object.prototype.toString.call(e),
    e.type,
    e.queue,
    e.messages.length,
    m.body,
    m.attempts,
    JSON.stringify(e.metadata.metrics),
    typeof e.ackAll,
    typeof e.retryAll,
  ]);
  if (m.attempts === 1) e.waitUntil(Promise.reject(new Error("late")));
});
