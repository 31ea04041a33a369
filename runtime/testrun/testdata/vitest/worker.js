export default { fetch() { return new Response("unused"); } };
