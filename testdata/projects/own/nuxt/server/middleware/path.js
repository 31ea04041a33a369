export default defineEventHandler((event) => {
  setResponseHeader(event, "x-middleware", event.path);
});
