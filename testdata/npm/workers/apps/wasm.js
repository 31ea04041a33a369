import { Resvg, initWasm } from "@resvg/resvg-wasm";
import resvgWasm from "@resvg/resvg-wasm/index_bg.wasm";
import { PDFDocument, StandardFonts, rgb } from "pdf-lib";
import encodePng, { init as initEnc } from "@jsquash/png/encode.js";
import decodePng, { init as initDec } from "@jsquash/png/decode.js";
import pngWasm from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm";
import encodeJpeg, { init as initJpeg } from "@jsquash/jpeg/encode.js";
import decodeJpeg, { init as initJpegD } from "@jsquash/jpeg/decode.js";
import jpegEncWasm from "@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm";
import jpegDecWasm from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";
import initSql from "sql.js/dist/sql-wasm-browser.js";
import sqlWasm from "sql.js/dist/sql-wasm-browser.wasm";
import { answer } from "./answer.js";
const img = () => {
  const d = new Uint8ClampedArray(16 * 16 * 4);
  for (let i = 0; i < d.length; i++) d[i] = i % 256;
  return { data: d, width: 16, height: 16 };
};
export default {
  fetch: () =>
    answer({
      resvg: async () => {
        await initWasm(resvgWasm);
        const r = new Resvg(
          '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10" fill="red"/><circle cx="5" cy="5" r="3"/></svg>',
          { fitTo: { mode: "width", value: 40 } },
        );
        const p = r.render();
        return [p.width, p.height, [...p.asPng().slice(0, 8)], p.asPng().length];
      },
      pdf: async () => {
        const d = await PDFDocument.create();
        const f = await d.embedFont(StandardFonts.TimesRoman);
        const p = d.addPage([200, 100]);
        p.drawText("Hello", { x: 5, y: 50, font: f, size: 20, color: rgb(1, 0, 0) });
        const b = await d.save();
        const e = await PDFDocument.load(b);
        return [b.length > 500, e.getPageCount(), e.getPage(0).getSize()];
      },
      png: async () => {
        await initEnc(pngWasm);
        await initDec(pngWasm);
        const b = await encodePng(img());
        const i = await decodePng(b);
        return [b.byteLength, i.width, i.height, [...i.data.slice(0, 5)]];
      },
      jpeg: async () => {
        await initJpeg(jpegEncWasm);
        await initJpegD(jpegDecWasm);
        const b = await encodeJpeg(img(), { quality: 50 });
        const i = await decodeJpeg(b);
        return [b.byteLength, i.width];
      },
      sql: async () => {
        const S = await initSql({
          instantiateWasm: (imports, ok) => {
            const i = new WebAssembly.Instance(sqlWasm, imports);
            ok(i);
            return i.exports;
          },
        });
        const db = new S.Database();
        db.run("create table t(a,b); insert into t values (1,'x'),(2,'y')");
        const st = db.prepare("select * from t where a > $a");
        st.bind({ $a: 1 });
        st.step();
        const o = st.getAsObject();
        const e = db.export();
        return [db.exec("select sqlite_version() <> '', count(*), group_concat(b) from t"), o, e.length];
      },
      sqlFunc: async () => {
        const S = await initSql({
          instantiateWasm: (imports, ok) => {
            const i = new WebAssembly.Instance(sqlWasm, imports);
            ok(i);
            return i.exports;
          },
        });
        const db = new S.Database();
        db.create_function("twice", (x) => x * 2);
        try {
          db.run("nope");
        } catch (e) {
          return [db.exec("select twice(21)")[0].values, e.message];
        }
      },
    }),
};
