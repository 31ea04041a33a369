import { Container, getContainer, getRandom } from "@cloudflare/containers";

const decode = (bytes) => new TextDecoder().decode(bytes);

export class Web extends Container {
  defaultPort = 8080;
  sleepAfter = "10m";
  envVars = { GREETING: "from the library" };
  onStop(how) {
    this.ctx.storage.kv.put("stopped", how);
  }
  stopped() {
    return this.ctx.storage.kv.get("stopped") ?? null;
  }
  async tcp() {
    const socket = this.ctx.container.getTcpPort(9000).connect("container:9000");
    const writer = socket.writable.getWriter();
    await writer.write(new TextEncoder().encode("over tcp"));
    const { value } = await socket.readable.getReader().read();
    await socket.close();
    return decode(value);
  }
  async upper(text) {
    const p = await this.ctx.container.exec(["upper"], { stdin: new Blob([text]).stream() });
    const { stdout, exitCode } = await p.output();
    return { stdout: decode(stdout), exitCode };
  }
  async kill() {
    const p = await this.ctx.container.exec(["sleep"]);
    await p.stdout.getReader().read(); // it says that it sleeps
    p.kill(9);
    return p.exitCode;
  }
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const one = getContainer(env.WEB, "one");
    switch (url.pathname) {
      case "/tcp":
        return new Response(await one.tcp());
      case "/upper":
        return Response.json(await one.upper(await request.text()));
      case "/kill":
        return Response.json(await one.kill());
      case "/stop":
        return Response.json(await one.stop());
      case "/destroy":
        return Response.json((await one.destroy()) ?? null);
      case "/stopped":
        return Response.json(await one.stopped());
      case "/random":
        return (await getRandom(env.WEB, 2)).fetch(request);
    }
    return one.fetch(request);
  },
};
