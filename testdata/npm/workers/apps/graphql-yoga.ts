import { createYoga, createSchema } from "graphql-yoga";
const yoga = createYoga({
  schema: createSchema({
    typeDefs: /* GraphQL */ `
      type Query {
        hello(name: String): String!
        list: [Item!]!
      }
      type Item {
        id: ID!
      }
      type Mutation {
        set(n: Int!): Int
      }
      type Subscription {
        ticks: Int
      }
    `,
    resolvers: {
      Query: {
        hello: (_, a) => "hi " + (a.name ?? "you"),
        list: async () => [{ id: 1 }, { id: 2 }],
      },
      Mutation: { set: (_, { n }) => n + 1 },
      Subscription: {
        ticks: {
          subscribe: async function* () {
            for (let i = 0; i < 3; i++) {
              await new Promise((r) => setTimeout(r, 5));
              yield { ticks: i };
            }
          },
        },
      },
    },
  }),
  logging: false,
  graphqlEndpoint: "/graphql",
});
export default {
  async fetch(r, env, ctx) {
    const u = new URL(r.url);
    if (u.pathname === "/stream")
      return yoga.fetch(
        new Request(u.origin + "/graphql", {
          method: "POST",
          headers: { accept: "text/event-stream", "content-type": "application/json" },
          body: JSON.stringify({ query: "subscription { ticks }" }),
        }),
        env,
        ctx,
      );
    if (r.method === "POST") r = new Request(r, { headers: { "content-type": "application/json" } });
    return yoga.fetch(r, env, ctx);
  },
};
