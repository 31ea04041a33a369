import { NextResponse } from "next/server";

export function middleware(request) {
  if (request.nextUrl.pathname === "/blocked") return new NextResponse("blocked", { status: 403 });
  if (request.nextUrl.pathname === "/rewritten") return NextResponse.rewrite(new URL("/about", request.url));
  const response = NextResponse.next();
  response.headers.set("x-middleware", request.nextUrl.pathname);
  return response;
}

export const config = { matcher: ["/", "/blocked", "/rewritten", "/api/:path*"] };
