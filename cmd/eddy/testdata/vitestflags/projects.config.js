import { defineConfig } from "vitest/config";
export default defineConfig({ test: { projects: [
  { test: { name: "one", include: ["b.test.js"] } }, { test: { name: "two", include: ["c.test.js"] } },
] } });
