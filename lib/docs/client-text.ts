import { readFile } from "node:fs/promises";

const FOLDER = "clients/typescript/src";

/** The package's modules, each after those that it uses. */
const MODULES = [
  "version",
  "requests",
  "resources",
  "errors",
  "api-errors",
  "retry-delay",
  "http-calls",
  "verify-webhook",
  "switchboard",
];

const HEAD = `// The client of the Switchboard messaging API in one file: copy it into your project. It is the package in
// clients/typescript without its command line. It needs nothing but \`fetch\` and \`crypto\`, as Node 20.3, Deno, Bun and
// workers have them. Keep the secret on your server. Copyright (c) 2026 Switchboard, MIT licence.
//
//   const client = new Switchboard({ apiKey: env.CHAT_API_KEY, apiSecret: env.CHAT_API_SECRET });
//   const { id } = await client.send({ type: "text", phone: "447700900003", content: "Your order is ready." });
//   const { status } = await client.waitFor(id, { until: "DELIVERED" });

`;

const LOCAL_IMPORT = /^(?:import|export)[^;]*? from "\.\/[\w-]+\.js";\n/gm;
const GENERATED = /^\/\/ Generated from .*\n/gm;
const DEFAULT_ORIGIN = '"http://localhost:3000"';

/** The client as one file: its package's modules, which next.config.mjs takes into every build, with this deployment's address. */
export async function clientText(origin: string): Promise<string> {
  const sources = await Promise.all(MODULES.map((name) => readFile(`${FOLDER}/${name}.ts`, "utf8")));
  const joined = sources.map((source) => source.replaceAll(LOCAL_IMPORT, "").replaceAll(GENERATED, "").trim());
  return `${HEAD}${joined.join("\n\n")}\n`.replace(DEFAULT_ORIGIN, JSON.stringify(origin));
}
