// Preloaded into the server under test: at SIGUSR2 it collects its garbage and tells what is left in a file of its own,
// whose name begins as `FUZZ_MEMORY_FILE` says.
const { renameSync, writeFileSync } = require("node:fs");
const { setFlagsFromString } = require("node:v8");
const { runInNewContext } = require("node:vm");

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
const file = `${process.env.FUZZ_MEMORY_FILE}.${process.pid}`;

process.on("SIGUSR2", () => {
  collectGarbage();
  // What the first collection's finalizers let go of is taken by the second.
  setImmediate(() => {
    collectGarbage();
    const { heapUsed, rss } = process.memoryUsage();
    writeFileSync(`${file}.unfinished`, JSON.stringify({ heapUsed, rss }));
    renameSync(`${file}.unfinished`, file);
  });
});
