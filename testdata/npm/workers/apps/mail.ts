import PostalMime from "postal-mime";
import { createMimeMessage, Mailbox } from "mimetext";
import { createMimeMessage as cmm2 } from "mimetext/browser";
import { EmailMessage } from "cloudflare:email";
import { answer } from "./answer.js";
const mime = () => {
  const m = createMimeMessage();
  m.setSender({ name: "A B", addr: "a@x.com" });
  m.setRecipient("b@y.com");
  m.setSubject("Grüße ✓");
  m.addMessage({ contentType: "text/plain", data: "hello\nthere ü" });
  m.addMessage({ contentType: "text/html", data: "<b>hi</b>" });
  m.addAttachment({ filename: "a.txt", contentType: "text/plain", data: btoa("file") });
  return m.asRaw();
};
export default {
  fetch: () =>
    answer({
      raw: () => mime().replace(/boundary=.*|Date:.*|Message-ID.*|--[a-z0-9]+(--)?/gi, "X"),
      parse: async () => {
        const e = await PostalMime.parse(mime());
        return {
          from: e.from,
          to: e.to,
          subject: e.subject,
          text: e.text,
          html: e.html,
          att: e.attachments.map((a) => [a.filename, a.mimeType, new TextDecoder().decode(a.content as any)]),
        };
      },
      charset: async () => {
        const e = await PostalMime.parse(
          "Subject: =?iso-8859-1?Q?caf=E9?= =?utf-8?B?w7w=?=\r\nContent-Type: text/plain; charset=windows-1252; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nsoft=\r\n line =80 ok \r\nnext",
        );
        return [e.subject, e.text];
      },
      stream: async () => (await PostalMime.parse(new Response("Subject: s\r\n\r\nbody").body as any)).text,
      email: () => {
        const m = new EmailMessage("a@x.com", "b@y.com", mime());
        return [m.from, m.to];
      },
    }),
};
