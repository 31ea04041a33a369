import { customAlphabet, nanoid } from "nanoid";

export default {
  fetch() {
    const custom = customAlphabet("abc", 8)();
    return Response.json({ length: nanoid().length, custom: custom.length, alphabet: /^[abc]+$/.test(custom), different: nanoid() !== nanoid() });
  },
};
