import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { EnvError } from "@/lib/core/env";
import { type ProvisionDocument, readDocument } from "@/lib/operations/document";
import { ProvisionError } from "@/lib/operations/provision-workspaces";
import { sentenceOf } from "./failure";
import { provisionDocument } from "./provision-document";
import { adoptRunningDemo } from "./running-demo";

const USAGE = `Usage: npm run provision -- FILE.json   (- reads standard input)

Creates or updates the workspaces of the file, and prints their ids and the secrets of new keys as one JSON document.
For that document alone on standard output: npm run --silent provision -- FILE.json
`;

/** The file is invalid; only the message is shown. */
class FileError extends Error {}

const [source, ...surplus] = process.argv.slice(2);

if (!source || surplus.length > 0 || source === "--help") {
  process.stderr.write(USAGE);
  process.exit(source === "--help" ? 0 : 2);
}

try {
  const document = readFile(source);
  adoptRunningDemo();
  process.stdout.write(`${JSON.stringify(await provisionDocument(document), null, 2)}\n`);
} catch (error) {
  process.stderr.write(`${reasonFor(error)}\nNothing was changed.\n`);
  process.exitCode = 1;
}

function readFile(file: string): ProvisionDocument {
  const name = file === "-" ? "Standard input" : file;
  const reading = readDocument(parse(name, read(file)));
  if ("document" in reading) return reading.document;
  throw new FileError(`${name} cannot be used:\n${reading.faults.map((fault) => `  ${fault}`).join("\n")}`);
}

function read(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    throw new FileError(`${file} cannot be read: ${sentenceOf(error)}.`);
  }
  // Decoding with replacement characters would silently change a name or password.
  if (isUtf8(bytes)) return bytes.toString("utf8");
  throw new FileError(`${file === "-" ? "Standard input" : file} is not UTF-8.`);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    // JSON.parse's error may quote a secret from the file.
    const reason = sentenceOf(error).replace(/, (\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, "");
    throw new FileError(`${name} is not JSON: ${reason}.`);
  }
}

function reasonFor(error: unknown): string {
  if (error instanceof ProvisionError) return `The file does not fit what is there:\n  ${error.faults.join("\n  ")}`;
  if (error instanceof FileError || error instanceof EnvError) return error.message;
  return sentenceOf(error);
}
