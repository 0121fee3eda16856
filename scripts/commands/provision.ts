import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { EnvError } from "@/lib/core/env";
import { type ProvisionDocument, readDocument } from "@/lib/operations/document";
import { ProvisionError } from "@/lib/operations/provision-workspaces";
import { required } from "../../clients/typescript/src/cli/command-line";
import { sentenceOf } from "../failure";
import { run } from "../operator-command";
import { provisionDocument } from "../provision-document";
import { adoptRunningDemo } from "../running-demo";

const USAGE = `Usage: switchboard provision FILE.json   (- reads standard input)

Creates or updates the workspaces of the file, and prints their ids and the secrets of new keys as one JSON document.
\`npm run --silent\` leaves that document alone on standard output.
`;

/** The file is invalid; only the message is shown. */
class FileError extends Error {}

export function provision(args: string[]): Promise<void> {
  return run({ usage: USAGE, words: 1, args }, async ({ positionals: [file] }) => {
    const source = required(file, "FILE.json");
    try {
      const document = readFile(source);
      adoptRunningDemo();
      process.stdout.write(`${JSON.stringify(await provisionDocument(document), null, 2)}\n`);
      return true;
    } catch (error) {
      throw new Error(`${reasonFor(error)}\nNothing was changed.`);
    }
  });
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
