import express from "express";
import { httpServerHandler } from "cloudflare:node";

const app = express();
app.use(express.json());
app.use((req, res, next) => {
  res.set("X-Seen", req.path);
  next();
});
app.get("/books/:id", (req, res) => res.json({ id: req.params.id, full: req.query.full, host: typeof req.hostname, seen: res.get("X-Seen") }));
app.post("/books", (req, res) => res.status(201).send(`${req.get("content-type")} ${JSON.stringify(req.body)}`));
app.get("/stream", (req, res) => {
  res.type("text/plain");
  res.write("one ");
  setTimeout(() => res.end("two"), 5);
});
app.get("/fail", (req, res, next) => next(new TypeError("failed")));
app.use((err, req, res, next) => res.status(500).send(`${err.name}: ${err.message}`));
app.listen(3000);

export default httpServerHandler({ port: 3000 });
