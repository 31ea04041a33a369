export default defineEventHandler((event) => {
  const stream = createEventStream(event);
  (async () => {
    for (let i = 0; i < 3; i++) {
      await stream.push({ id: String(i), data: `${i}` });
      await new Promise((ok) => setTimeout(ok, 5));
    }
    await stream.close();
  })();
  return stream.send();
});
