import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { Kysely, sql } from "kysely";
import { D1Dialect } from "kysely-d1";
import { answer } from "./answer.js";

// better-auth with its tables in D1, through kysely: sign up, sign in, sessions by cookie, wrong passwords.
const options = (env) => ({
  secret: "a secret of more than thirty-two letters", baseURL: "http://localhost:8787", telemetry: { enabled: false },
  database: { dialect: new D1Dialect({ database: env.DB }), type: "sqlite" as const },
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
});

export default {
  async fetch(_, env) {
    const auth = betterAuth(options(env));
    const ask = async (path, body?, cookie = "") => {
      const res = await auth.handler(new Request(`http://localhost:8787/api/auth${path}`, {
        method: body ? "POST" : "GET", body: body && JSON.stringify(body),
        headers: { "content-type": "application/json", cookie, origin: "http://localhost:8787" },
      }));
      const { user, ...rest } = (await res.json().catch(() => null)) ?? {};
      return { status: res.status, user: user?.email, code: rest.code, cookie: res.headers.getSetCookie().map((c) => c.split(";")[0])[0] };
    };
    const shown = ({ status, user, code, cookie }) => ({ status, user, code, cookie: cookie?.replace(/=.+/, "=…") });
    const ann = { name: "Ann", email: "ann@example.com", password: "correct horse" };
    const db = new Kysely<any>({ dialect: new D1Dialect({ database: env.DB }) });
    let cookie = "";
    return answer({
      migrate: async () => {
        const { toBeCreated, runMigrations } = await getMigrations(options(env));
        await runMigrations();
        return toBeCreated.map((t) => t.table).sort();
      },
      "sign up": async () => shown(await ask("/sign-up/email", ann)),
      "sign up again": async () => shown(await ask("/sign-up/email", ann)),
      "wrong password": async () => shown(await ask("/sign-in/email", { ...ann, password: "wrong horse" })),
      "sign in": async () => {
        const got = await ask("/sign-in/email", ann);
        cookie = got.cookie;
        return shown(got);
      },
      session: async () => shown(await ask("/get-session", undefined, cookie)),
      "no session": async () => shown(await ask("/get-session")),
      "sign out": async () => shown(await ask("/sign-out", {}, cookie)),
      gone: async () => shown(await ask("/get-session", undefined, cookie)),
      rows: async () => (await sql`SELECT (SELECT count(*) FROM user) users, (SELECT count(*) FROM session) sessions`.execute(db)).rows,
      kysely: async () => db.selectFrom("user").select(["name", "email"]).where("name", "like", "A%").execute(),
    });
  },
};
