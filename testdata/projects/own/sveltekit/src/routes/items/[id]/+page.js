import { error } from "@sveltejs/kit";

export function load({ params, url }) {
  if (params.id === "none") error(404, "no such item");
  return { id: params.id, sort: url.searchParams.get("sort") };
}
