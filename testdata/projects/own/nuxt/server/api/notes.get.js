export default defineEventHandler(async (event) => {
  const { KV, DB } = event.context.cloudflare.env;
  await DB.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  const { results } = await DB.prepare("SELECT id, text FROM notes ORDER BY id").all();
  return { notes: results, last: await KV.get("last"), when: new Date(0) };
});
