import { notFound } from "next/navigation";

export async function generateMetadata({ params }) {
  return { title: `Item ${(await params).id}` };
}

export default async function Item({ params, searchParams }) {
  const { id } = await params;
  if (id === "none") notFound();
  if (id === "crash") throw new Error("a crash");
  return <p>item {id} {(await searchParams).sort}</p>;
}
