import { Hono } from "hono";
import { z } from "zod";

const order = z.object({ name: z.string(), items: z.array(z.object({ price: z.number(), count: z.number() })) });
const app = new Hono();
app.get("/", (c) => c.text("Hello World!"));
app.post("/orders", async (c) => c.json(order.parse(await c.req.json())));
export default app;
