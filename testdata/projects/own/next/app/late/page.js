import { Suspense } from "react";

export const dynamic = "force-dynamic";

async function Late() {
  return <p>{await new Promise((ok) => setTimeout(ok, 20, "came late"))}</p>;
}

export default () => (
  <Suspense fallback={<p>waiting</p>}>
    <Late />
  </Suspense>
);
