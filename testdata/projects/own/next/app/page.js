import { cookies } from "next/headers";
import Count from "./count";
import { add, notes } from "./notes";

export const dynamic = "force-dynamic";

export default async function Home() {
  const { rows, last } = await notes();
  const user = (await cookies()).get("user")?.value ?? "nobody";
  return (
    <main>
      <h1>Notes of {user}</h1>
      <ul>{rows.map((n) => <li key={n.id}>{n.text}</li>)}</ul>
      <p>{last}</p>
      <Count />
      <form action={add}><input name="text" /><button>add</button></form>
    </main>
  );
}
