export default {
  turbopack: { root: import.meta.dirname },
  redirects: async () => [{ source: "/old", destination: "/items/1", permanent: true }],
  headers: async () => [{ source: "/about", headers: [{ key: "x-configured", value: "1" }] }],
};
