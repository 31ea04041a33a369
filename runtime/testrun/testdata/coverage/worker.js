export default { fetch: () => new Response("") };
