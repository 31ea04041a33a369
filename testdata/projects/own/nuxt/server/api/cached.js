export default defineCachedEventHandler(async () => ({ cached: true }), { maxAge: 60 });
