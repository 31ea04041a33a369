import { marked } from "marked";

export default {
  fetch: () => Response.json({ html: marked.parse("# Title\n\nSome **bold** and `code`.\n\n- one\n- two\n") }),
};
