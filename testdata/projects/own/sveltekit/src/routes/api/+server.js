import { error, json } from "@sveltejs/kit";

export const GET = ({ url, request, getClientAddress }) =>
  json({ query: Object.fromEntries(url.searchParams), agent: request.headers.get("x-agent"), address: typeof getClientAddress() });

export async function POST({ request }) {
  const body = await request.json();
  if (body.fail) error(418, { message: "a teapot" });
  if (body.crash) throw new Error("a crash");
  return json({ got: body }, { status: 201, headers: { "set-cookie": "a=1; Path=/" } });
}
