export const half = (n) => (n % 2 === 0 ? n / 2 : 0);

export default {
  fetch() {
    return new Response("leaves code out");
  },
};
