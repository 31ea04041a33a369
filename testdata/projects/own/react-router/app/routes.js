import { index, route } from "@react-router/dev/routes";

export default [
  index("routes/home.jsx"), route("api", "routes/api.js"), route("items/:id", "routes/item.jsx"), route("stream", "routes/stream.js"), route("crash", "routes/crash.jsx"),
];
