export class L extends DurableObject {
  async connect(socket) {
    const writer = socket.writable.getWriter();
    await writer.write(new TextEncoder().encode("hello"));
    await writer.close();
  }
}
const tests = {
  connect: async (env) => {
    const socket = env.L.getByName("a").connect("some.host:1");
    return new Response(socket.readable).text();
  },
};
