import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder for files of the demo, dev and tests, in the project's root. */
export const DATA_DIRECTORY = fileURLToPath(new URL("../.data", import.meta.url));

const MADE_LOCALLY = [
  "NEXTAUTH_SECRET",
  "KEY_PEPPER",
  "ENCRYPTION_KEY",
  "WHATSAPP_APP_SECRET",
  "WHATSAPP_VERIFY_TOKEN",
  "CRON_SECRET",
  "DEMO_LINE_TOKEN",
];

/**
 * Returns the full environment of a local server: variables already set win, missing secrets are generated once
 * and stored in `directory`.
 * @param {{ port: number, databaseUrl: string, directory: string }} options
 * @returns {Record<string, string | undefined>}
 */
export function localEnvironment({ port, databaseUrl, directory }) {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  return {
    APP_URL: `http://localhost:${port}`,
    NEXT_TELEMETRY_DISABLED: "1",
    // No balancer to wait for.
    DRAIN_SECONDS: "0",
    // The sample pictures of the demo's templates are on this server.
    MEDIA_FETCH_ALLOW: `localhost:${port}`,
    ...localSecrets(directory),
    ...given,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
  };
}

function localSecrets(directory) {
  const file = path.join(directory, "secrets.json");
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const missing = MADE_LOCALLY.filter((name) => !kept[name]);
  if (missing.length === 0) return kept;
  const secrets = {
    ...kept,
    ...Object.fromEntries(missing.map((name) => [name, randomBytes(32).toString("base64url")])),
  };
  mkdirSync(directory, { recursive: true });
  writePrivately(file, secrets);
  return secrets;
}

/** Writes JSON atomically, readable only by its owner. */
export function writePrivately(file, content) {
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}
