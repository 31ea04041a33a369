// A sealed session: h3 encrypts it with iron.
export default defineEventHandler(async (event) => {
  const session = await useSession(event, { password: "a password of more than thirty-two letters" });
  await session.update({ count: (session.data.count ?? 0) + 1 });
  return session.data;
});
