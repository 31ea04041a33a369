export default {
  fetch: () => new Response("ok"),
  queue(batch) {
    for (const m of batch.messages) console.log("consumed", batch.queue, JSON.stringify(m.body));
  },
};
