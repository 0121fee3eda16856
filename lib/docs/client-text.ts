import { readFile } from "node:fs/promises";

const DEFAULT_ORIGIN = '"http://localhost:3000"';

/** The client's own source, which next.config.mjs takes into every build, with this deployment's address in it. */
export const clientText = async (origin: string): Promise<string> => {
  const source = await readFile("lib/docs/client.ts", "utf8");
  return source.replace(DEFAULT_ORIGIN, JSON.stringify(origin));
};
