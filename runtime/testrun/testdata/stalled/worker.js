export default {
  async queue(batch) {
    await new Promise(() => {});
  },
  async work(gate) {
    await gate;
  },
};
