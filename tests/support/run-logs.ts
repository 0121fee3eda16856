import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { DATA_DIRECTORY } from "../../scripts/local-environment.mjs";
import { logScan, type SecretWord } from "./secret-scan";

const NOTES = "noted.jsonl";
/** Shorter ones are what tests send to be refused, and words of every day. */
const MIN_CHARACTERS = 10;
/** Of a canceled statement in Postgres's log. */
const STATEMENT_LINES = 12;
const STATEMENT_CHARACTERS = 160;
const SECRET_VARIABLE =
  /^(NEXTAUTH_SECRET|KEY_PEPPER|ENCRYPTION_KEY|WHATSAPP_APP_SECRET|WHATSAPP_VERIFY_TOKEN|CRON_SECRET|UPSTASH_.*TOKEN)/;

const noted = new Set<string>();

/** One folder for what every server and command of this run says, in whichever process it is started. */
export const openRunLogs = (): void => {
  process.env.TEST_LOGS = path.join(DATA_DIRECTORY, "test-logs", randomBytes(6).toString("hex"));
  mkdirSync(process.env.TEST_LOGS, { recursive: true, mode: 0o700 });
};

const folder = (): string => {
  if (!process.env.TEST_LOGS) throw new Error("The test servers are not running, so this run has no folder of logs.");
  return process.env.TEST_LOGS;
};

/**
 * A new log of this run, which is scanned at the end: a server's, or what a command says at its operator's terminal, who
 * reads what was wrong with the number that they typed.
 */
export const newLogFile = (name: "server" | "terminal"): string =>
  path.join(folder(), `${name}-${randomBytes(4).toString("hex")}.log`);

/** Notes what this run made and no log may hold; a harness that keeps logs of its own has no use for it. */
export const noteSecrets = (kind: string, words: readonly string[]): void => {
  if (!process.env.TEST_LOGS) return;
  for (const word of words) {
    if (word.length < MIN_CHARACTERS || noted.has(word)) continue;
    noted.add(word);
    appendFileSync(path.join(folder(), NOTES), `${JSON.stringify({ kind, word })}\n`, { mode: 0o600 });
  }
};

export const noteEnvironment = (environment: Record<string, string | undefined>): void => {
  for (const [name, value = ""] of Object.entries(environment)) {
    // One character repeated is what a server refuses as its secret, and what tests write in long paths.
    if (SECRET_VARIABLE.test(name) && new Set(value).size > 2) noteSecrets(name, [value]);
  }
};

const PHONE = "a recipient's number";

/** Recipients' numbers, as they are written in a request: the log must not hold their digits. */
export const notePhone = (phone: unknown): void => {
  if (typeof phone === "string") noteSecrets(PHONE, [phone.replace(/\D/g, "")]);
};

/**
 * The end of a run: no log of it holds a secret or a number that was noted, and `further` (the database's) no deadlock.
 * Throws with the places where one does, and keeps the logs then.
 */
export const closeRunLogs = ({ further = [] }: { further?: readonly string[] } = {}): void => {
  const notes = path.join(folder(), NOTES);
  const secrets: SecretWord[] = existsSync(notes)
    ? readFileSync(notes, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
  rmSync(notes, { force: true });
  const [ofServers, ofTerminals] = [logScan(secrets), logScan(secrets.filter(({ kind }) => kind !== PHONE))];
  // A server without pages keeps a folder with the sockets of its metrics beside its log.
  const logs = readdirSync(folder(), { withFileTypes: true }).filter((entry) => entry.isFile());
  const files = [...logs.map(({ name }) => path.join(folder(), name)), ...further];
  const findings = files.flatMap((file) => {
    const scan = path.basename(file).startsWith("terminal") ? ofTerminals : ofServers;
    return scan(readFileSync(file, "utf8")).map(({ kind, line }) => `${file}:${line} holds ${kind}`);
  });
  if (findings.length > 0) throw new Error(`Secrets in the logs of this run:\n${findings.join("\n")}`);
  const complaints = `Warnings and errors in the logs: ${complaintsIn(files) || "none"}`;
  console.log(complaints);
  if (process.env.TEST_COMPLAINTS) appendFileSync(process.env.TEST_COMPLAINTS, `${complaints}\n`);
  const deadlocks = further.filter((file) => readFileSync(file, "utf8").includes("deadlock detected"));
  if (deadlocks.length > 0)
    throw new Error(`Statements of this run ended each other (deadlock): ${deadlocks.join(", ")}`);
  const bytes = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
  console.log(`No secret in the logs: ${secrets.length} words, ${files.length} logs, ${Math.ceil(bytes / 1_024)} KiB`);
  rmSync(folder(), { recursive: true, force: true });
};

/** What the servers complained of, with how often: where a test failed on a busy machine, it says which limit was reached. */
const complaintsIn = (files: readonly string[]): string => {
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [i, line] of lines.entries()) {
    if (/ERROR: {2}canceling statement due to /.test(line)) count(canceled(lines.slice(i, i + STATEMENT_LINES)));
  }
  for (const line of lines.filter((one) => /^\{.*"level":"(warn|error)"/.test(one))) {
    const { event, code, error, message, stack } = JSON.parse(line);
    const name = [event, code ?? error, ...(event === "uncaught" ? [message, stack?.[0]] : [])]
      .filter(Boolean)
      .join(" ");
    count(name);
  }
  return [...counts].map(([name, count]) => `${name} ${count}`).join(", ");
};

/** Of a statement that Postgres ended: why, and how it begins, which tells it from others of the same code. */
const canceled = (lines: readonly string[]): string => {
  const [, reason] = /canceling statement due to (.*)/.exec(lines[0] ?? "") ?? [];
  const text = lines.slice(1).join(" ").split("STATEMENT:")[1] ?? "";
  return `${reason} of "${text.replace(/\s+/g, " ").trim().slice(0, STATEMENT_CHARACTERS)}"`;
};
