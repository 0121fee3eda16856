import { isRecord, readJson } from "@/lib/core/json";
import { whyUnreachable } from "@/lib/media/unreachable";
import { WEBHOOK_PATH } from "@/lib/phone-numbers/check-webhook";
import { sign } from "@/lib/whatsapp/webhook-signature";
import { required, UsageError } from "../../clients/typescript/src/cli/command-line";
import { printDocument, readInput } from "../../clients/typescript/src/cli/documents";
import { oneOf, run } from "../operator-command";
import { adoptRunningDemo } from "../running-demo";

const USAGE = `Usage: switchboard webhook replay FILE [--example NAME]

Signs a recorded webhook with WHATSAPP_APP_SECRET, byte for byte as it is in FILE, and delivers it to the gateway at APP_URL; - is
standard input. Of a file of several, --example says which. The gateway treats it as WhatsApp's: replay no made-up webhook
where it serves people.
`;

const TIMEOUT_MS = 15_000;

export function webhook(args: string[]): Promise<void> {
  return run({ usage: USAGE, options: ["example"], words: 2, args }, async ({ positionals: [name, file], option }) => {
    oneOf(["replay"], name, "The first word");
    const raw = pick(readInput(required(file, "FILE")), option("example"));
    adoptRunningDemo();
    const { WHATSAPP_APP_SECRET, APP_URL } = process.env;
    const secret = required(WHATSAPP_APP_SECRET, "WHATSAPP_APP_SECRET, in the environment,");
    const url = new URL(WEBHOOK_PATH, required(APP_URL, "APP_URL, in the environment,")).href;
    const answer = await post(url, raw, sign(raw, secret));
    printDocument({ webhook: url, bytes: raw.byteLength, answer: answer.status });
    if (answer.status !== 200) process.stderr.write(`${refusalOf(answer.text)}\n`);
    return answer.status === 200;
  });
}

/** Returns the bytes to send: the file's content, or one of its named examples. */
function pick(raw: Buffer, example: string | undefined): Buffer {
  const text = raw.toString("utf8");
  const content = readJson(text);
  const named = isRecord(content) && !Array.isArray(content.entry) ? content : {};
  const examples = Object.keys(named).filter((name) => isRecord(named[name]));
  if (example !== undefined && examples.includes(example)) return Buffer.from(valueIn(text, example));
  if (example === undefined && examples.length === 0) return raw;
  throw new UsageError(`Say --example, one of: ${examples.join(", ") || "none, FILE is one webhook"}.`);
}

/** A value of the outermost object as it is written there: parsed, long ids would lose digits. */
function valueIn(json: string, name: string): string {
  let [depth, begin, key, lastString, value] = [0, 0, "", '""', ""];
  for (const { 0: token, index } of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (token.startsWith('"')) lastString = token;
    if (token === ":" && depth === 1) [key, begin] = [JSON.parse(lastString), index + 1];
    const isEnd = (token === "," && depth === 1) || (token === "}" && depth === 0);
    if (isEnd && key === name) value = json.slice(begin, index).trim();
  }
  return value;
}

async function post(url: string, raw: Buffer, signature: string): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-signature-256": signature },
      body: new Uint8Array(raw),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw new Error(`${url}: ${whyUnreachable(error, TIMEOUT_MS)}`);
  }
}

function refusalOf(text: string): string {
  const body = readJson(text);
  if (!isRecord(body) || typeof body.error !== "string") return "The answer is not the gateway's.";
  const requestId = isRecord(body.details) ? body.details.requestId : undefined;
  return `${body.error}: ${body.message}\nRequest ${requestId ?? "without an id"}`;
}
