export async function handle({ event, resolve }) {
  const response = await resolve(event);
  response.headers.set("x-hook", event.url.pathname);
  return response;
}

export const handleError = ({ error }) => ({ message: `handled: ${error.message}` });
