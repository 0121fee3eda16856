import { existsSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";

/**
 * `npm start`: the server as `npm run build` left it, or with a word the command of that name (`switchboard.ts`). The server
 * starts its page process and its workers by this file, too.
 */
const BUILD = new URL("../.next/switchboard/", import.meta.url);
const [word = ""] = process.argv.slice(2);
// Signals may reach a whole process group, but the front door tells its pages when to exit.
const isOfPages = word === "pages";
if (isOfPages) process.argv.splice(2, 1);
const isCommand = !isOfPages && /^([a-z]|--help$)/.test(word);
/** @type {NodeJS.Signals[]} */
const SIGNALS = ["SIGINT", "SIGTERM"];
for (const signal of SIGNALS) {
  // Before the program is loaded, as process 1 ignores a signal without a listener. The program's own takes its place.
  process.on(signal, () => {
    if (isOfPages || process.listenerCount(signal) > 1) return;
    process.exit(isCommand ? 128 + constants.signals[signal] : 0);
  });
}
// By itself V8 lets the API's heap grow to three times what is in use: 50 MiB for 1 to 3 % of a send's processor time.
if (!isOfPages && !isCommand) setFlagsFromString("--heap-growing-percent=50");
const file = isCommand ? "commands/switchboard.mjs" : `${isOfPages ? "pages" : "server"}.mjs`;
const program = new URL(file, BUILD);

if (isOfPages) await untilBuilt();
if (!existsSync(program)) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
await import(program.href);

/**
 * For `npm run demo`, which builds the pages while the API already takes calls. Nothing of the build is loaded before:
 * Node remembers which package.json was not there.
 */
async function untilBuilt() {
  const exit = () => process.exit(0);
  process.on("message", exit).on("disconnect", exit);
  while (!existsSync(new URL("../BUILD_ID", BUILD)) || !existsSync(program)) {
    process.send?.("beat", undefined, undefined, () => {});
    await sleep(500);
  }
  process.off("message", exit).off("disconnect", exit);
}
