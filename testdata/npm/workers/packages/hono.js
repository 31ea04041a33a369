import { Hono } from "hono";

const app = new Hono();
app.use("*", async (c, next) => {
  c.set("note", "set by middleware");
  await next();
});
app.get("/books/:id", (c) => c.json({ id: c.req.param("id"), full: c.req.query("full"), header: c.get("note") }));
export default app;
