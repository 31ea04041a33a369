import { AutoRouter } from "itty-router";

const router = AutoRouter();
router.get("/todos/:id", ({ params, query }) => ({ id: params.id, query }));
export default { fetch: router.fetch };
