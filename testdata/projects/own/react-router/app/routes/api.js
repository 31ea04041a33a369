export const loader = ({ request }) => Response.json({ query: Object.fromEntries(new URL(request.url).searchParams) }, { headers: { "x-api": "1" } });

export async function action({ request }) {
  const body = await request.json();
  if (body.fail) throw new Response("a teapot", { status: 418 });
  return Response.json({ method: request.method, got: body }, { status: 201 });
}
