// process.stdin, stdout and stderr: what is written goes to the console, line by line.
(function (require, module) {
  "use strict";
  const { Writable, Readable } = require("stream");
  const { StringDecoder } = require("string_decoder");

  function output(fd, print) {
    const decoder = new StringDecoder("utf8");
    let line = "";
    const s = new Writable({
      decodeStrings: true,
      write(chunk, encoding, done) {
        const lines = (line + decoder.write(chunk)).split("\n");
        line = lines.pop();
        for (const l of lines) print(l);
        if (line !== "") flushSoon();
        done();
      },
    });
    // Text that has no line end yet is shown when the current work is over.
    let waiting = false;
    function flushSoon() {
      if (waiting) return;
      waiting = true;
      queueMicrotask(() => queueMicrotask(() => {
        waiting = false;
        if (line !== "") print(line);
        line = "";
      }));
    }
    s.fd = fd;
    s._type = "fs";
    s._isStdio = true;
    s.isTTY = false;
    s.columns = 80;
    s.destroySoon = s.destroy;
    s._destroy = (err, cb) => cb(err);
    return s;
  }
  const stdin = new Readable({
    read() {
      this.push(null);
    },
  });
  stdin.fd = 0;
  stdin.isTTY = false;
  module.exports = { stdin, stdout: output(1, (l) => console.log(l)), stderr: output(2, (l) => console.error(l)) };
})
