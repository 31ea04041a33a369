import { isbot } from "isbot";
import { renderToReadableStream } from "react-dom/server";
import { ServerRouter } from "react-router";

export default async function handleRequest(request, status, headers, context) {
  const body = await renderToReadableStream(<ServerRouter context={context} url={request.url} />, {
    onError: () => { status = 500; },
  });
  if (isbot(request.headers.get("user-agent"))) await body.allReady;
  headers.set("content-type", "text/html");
  return new Response(body, { status, headers });
}
