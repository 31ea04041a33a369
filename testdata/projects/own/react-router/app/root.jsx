import { isRouteErrorResponse, Links, Meta, Outlet, Scripts, ScrollRestoration } from "react-router";
import "./app.css";

export function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default () => <Outlet />;

export function ErrorBoundary({ error }) {
  if (isRouteErrorResponse(error)) return <h1>{error.status} {error.statusText} {String(error.data)}</h1>;
  return <h1>broken: {error.message}</h1>;
}
