import { cookies } from "next/headers";
import { NextResponse } from "next/server";

export const GET = (request) => NextResponse.json({ query: Object.fromEntries(request.nextUrl.searchParams), agent: request.headers.get("x-agent") });

export async function POST(request) {
  const body = await request.json();
  if (body.crash) throw new Error("a crash");
  (await cookies()).set("a", "1");
  return NextResponse.json({ got: body }, { status: 201 });
}
