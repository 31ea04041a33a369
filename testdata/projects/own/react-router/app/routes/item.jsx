export function loader({ params }) {
  if (params.id === "none") throw new Response("no such item", { status: 404, statusText: "Not Found" });
  return { id: params.id };
}

export default ({ loaderData }) => <p>item {loaderData.id}</p>;
