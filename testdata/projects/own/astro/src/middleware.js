export async function onRequest(context, next) {
  context.locals.path = context.url.pathname;
  const response = await next();
  response.headers.set("x-middleware", context.url.pathname);
  return response;
}
