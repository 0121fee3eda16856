import { existsSync } from "node:fs";

/**
 * `npm start`: the server as `npm run build` left it. `node scripts/start.mjs migrate` runs a command of that build: the
 * files of `.next/switchboard` beside the server.
 */
const BUILD = new URL("../.next/switchboard/", import.meta.url);
const [word = ""] = process.argv.slice(2);
const isCommand = /^[a-z][a-z-]*$/.test(word) && existsSync(new URL(`${word}.mjs`, BUILD));
if (isCommand) process.argv.splice(2, 1);
const program = new URL(isCommand ? `${word}.mjs` : "server.mjs", BUILD);

if (!existsSync(program)) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
await import(program.href);
