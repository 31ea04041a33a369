export const GET = ({ url, request }) => Response.json({ query: Object.fromEntries(url.searchParams), agent: request.headers.get("x-agent") });

export async function POST({ request, cookies }) {
  const body = await request.json();
  cookies.set("a", { deep: 1 }, { path: "/" });
  return Response.json({ got: body }, { status: 201 });
}
