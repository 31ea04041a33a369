export async function opened(target) {
  await new Promise((resolve) => target.addEventListener("open", resolve));
}
