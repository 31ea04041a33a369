// @cloudflare/containers and ctx.container against a real engine: the one that EDDY_DOCKER or DOCKER_HOST names, or a
// Podman of its own with storage in a temporary folder. No registry is needed: the image has a static Go program only.
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "./session.mjs";

const folder = new URL("workers/containers/", import.meta.url).pathname;

const has = (program) => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Starts Podman's service; its processes see no control groups, which it needs to be given rights for. */
async function podman() {
  const dir = await mkdtemp(join(tmpdir(), "pod-"));
  await writeFile(join(dir, "containers.conf"),
    '[containers]\ncgroups="disabled"\ndefault_ulimits=["nofile=1024:1024","nproc=1024:1024"]\n');
  const service = "mount -t tmpfs none /sys/fs/cgroup && exec podman --root $0/root --runroot $0/run " +
    "--storage-driver vfs --cgroup-manager cgroupfs --runtime-flag=cgroup-manager=disabled " +
    "system service --time=0 unix://$0/s";
  const child = spawn("unshare", ["-m", "sh", "-c", service, dir], {
    env: { ...process.env, CONTAINERS_CONF: join(dir, "containers.conf") }, stdio: "ignore" });
  const ended = once(child, "close");
  const host = `unix://${dir}/s`;
  for (let up = false; !up; ) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error("podman system service has ended");
    up = await containers(host).then(() => true, () => sleep(50, false)); // the socket's file is there before it listens
  }
  return {
    host,
    async stop() {
      child.kill();
      await ended;
      await rm(dir, { recursive: true, force: true }).catch(() => {});
    },
  };
}

/** The containers that the engine has, of those that eddy has started. */
const containers = (host) =>
  new Promise((resolve, reject) => {
    const r = request({ socketPath: host.replace("unix://", ""), path: "/containers/json?all=true" }, async (res) => {
      let text = "";
      for await (const chunk of res) text += chunk;
      resolve(JSON.parse(text).filter((c) => c.Labels?.eddy === "1").map((c) => c.State));
    });
    r.on("error", reject);
    r.end();
  });

export async function run(test) {
  const named = process.env.EDDY_DOCKER ?? process.env.DOCKER_HOST;
  if (!named && (!has("podman") || !has("unshare") || process.getuid() !== 0)) {
    console.log("      containers: not run, since there is no engine: neither EDDY_DOCKER nor Podman for root");
    return;
  }
  const engine = named ? { host: named, stop: async () => {} } : await podman();
  process.env.EDDY_DOCKER = engine.host;
  execFileSync("go", ["build", "-ldflags", "-s -w", "-o", "app", "app.go"],
    { cwd: folder, env: { ...process.env, CGO_ENABLED: "0" } });
  let session = await start(join(folder, "wrangler.jsonc"));
  const get = async (path, init) => (await fetch(session.url + path, init)).text();
  try {
    await test("the library starts a container and forwards to it", async () => {
      assert.equal(await get("/hello?a", { method: "POST", body: "text" }),
        "POST /hello?a env=from the library args=[one two] body=text");
      assert.equal(await get("/random"), "GET /random env=from the library args=[one two] body=");
    });
    await test("TCP, exec, kill", async () => {
      assert.equal(await get("/tcp"), "over tcp");
      assert.equal(await get("/upper", { method: "POST", body: "a\nb\n" }), '{"stdout":"A\\nB\\n","exitCode":3}');
      assert.equal(await get("/kill"), "137");
    });
    await test("stop and destroy", async () => {
      await get("/stop");
      let how;
      while ((how = await get("/stopped")) === "null") await sleep(50);
      assert.equal(how, '{"exitCode":7,"reason":"exit"}');
      assert.match(await get("/again"), /^GET \/again env=from the library/);
      await get("/destroy");
    });
    await test("none is left after the session, nor by a killed one once the next has started", async () => {
      assert.match(await get("/again"), /^GET/);
      await session.stop();
      assert.deepEqual(await containers(engine.host), []);
      session = await start(join(folder, "wrangler.jsonc"));
      assert.match(await get("/again"), /^GET/);
      await session.kill();
      assert.deepEqual(await containers(engine.host), ["running"]);
      session = await start(join(folder, "wrangler.jsonc"));
      assert.deepEqual(await containers(engine.host), []);
    });
  } finally {
    await session.stop();
    delete process.env.EDDY_DOCKER;
    if (named) process.env.EDDY_DOCKER = named;
    await engine.stop();
  }
}
