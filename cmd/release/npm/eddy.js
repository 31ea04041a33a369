#!/usr/bin/env node
// Runs the binary of this machine's platform package in place of this script: same arguments, terminal and exit code.
"use strict";
const { spawn } = require("child_process");
const { constants } = require("os");

const name = `@eddy-workers/${process.platform}-${process.arch}`;
const binary = process.platform === "win32" ? "eddy.exe" : "eddy";

let path;
try {
  path = require.resolve(`${name}/bin/${binary}`);
} catch {
  console.error(
    `eddy: the package ${name}, which holds the binary for this machine, is not installed.\n` +
      "Install again without --omit=optional, and on this machine: node_modules of another system do not fit.\n" +
      "There are builds for linux, darwin and win32 on x64 and arm64.",
  );
  process.exit(1);
}

const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to both; the binary decides when it ends, and this script ends with it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`eddy: ${path} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : code));
