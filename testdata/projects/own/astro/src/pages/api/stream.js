export function GET() {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    async start(controller) {
      for (let i = 0; i < 3; i++) {
        controller.enqueue(encoder.encode(`data: ${i}\n\n`));
        await new Promise((ok) => setTimeout(ok, 5));
      }
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
