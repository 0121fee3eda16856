import { existsSync } from "node:fs";
import { constants } from "node:os";

/**
 * `npm start`: the server as `npm run build` left it. `node scripts/start.mjs migrate` runs a command of that build: the
 * files of `.next/switchboard` beside the server. So run the server's own workers and its page process, too.
 */
const BUILD = new URL("../.next/switchboard/", import.meta.url);
const [word = ""] = process.argv.slice(2);
const isCommand = /^[a-z][a-z-]*$/.test(word) && existsSync(new URL(`${word}.mjs`, BUILD));
if (isCommand) process.argv.splice(2, 1);
// Signals may reach a whole process group, but the front door tells its pages when to exit.
const isOfPages = word === "pages";
/** @type {NodeJS.Signals[]} */
const SIGNALS = ["SIGINT", "SIGTERM"];
for (const signal of SIGNALS) {
  // Before the program is loaded, as process 1 ignores a signal without a listener. The program's own takes its place.
  process.on(signal, () => {
    if (isOfPages || process.listenerCount(signal) > 1) return;
    process.exit(isCommand ? 128 + constants.signals[signal] : 0);
  });
}
const program = new URL(isCommand ? `${word}.mjs` : "server.mjs", BUILD);

if (!existsSync(program)) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
await import(program.href);
