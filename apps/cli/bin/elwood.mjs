#!/usr/bin/env node
// The door to Elwood's command line. It is plain JavaScript that any Node since 14 can
// read, so that a Node which is too old is healed or explained instead of met by a syntax
// error. Where the Node is new enough nothing is spawned and almost nothing is loaded.
import module from "node:module";
import { codeToRun } from "./built.mjs";
import { cacheDirectory, isNewEnough } from "./node-version.mjs";

if (isNewEnough(process.versions.node)) {
  // Some accepted versions still call their SQLite experimental; Elwood is tested on it.
  const printers = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") for (const print of printers) print.call(process, warning);
  });
  const cache = cacheDirectory(process.env);
  // Only saves time: where the directory cannot be written it says so in its answer and does nothing.
  if (cache !== undefined) module.enableCompileCache(cache);
  await import(codeToRun((line) => process.stderr.write(`${line}\n`)));
} else {
  const { heal } = await import("./old-node.mjs");
  await heal();
}
