export default defineEventHandler(async (event) => {
  const { KV, DB } = event.context.cloudflare.env;
  const parts = await readMultipartFormData(event);
  const form = parts ? Object.fromEntries(parts.map((p) => [p.name, p.data.toString()])) : await readBody(event);
  if (!form?.text) throw createError({ statusCode: 422, statusMessage: "text is missing", data: { field: "text" } });
  await DB.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  await DB.prepare("INSERT INTO notes (text) VALUES (?)").bind(form.text).run();
  await KV.put("last", form.text);
  if (form.user) setCookie(event, "user", form.user, { httpOnly: true });
  setResponseStatus(event, 201);
  return { added: form.text, file: parts?.find((p) => p.filename)?.filename };
});
