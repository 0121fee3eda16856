import { existsSync } from "node:fs";

/** `npm start`: the server as `npm run build` left it. */
const SERVER = new URL("../.next/switchboard/server.mjs", import.meta.url);

if (!existsSync(SERVER)) {
  console.error("There is no build yet. Run `npm run build` first.");
  process.exit(1);
}
await import(SERVER.href);
