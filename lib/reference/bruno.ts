import { strToU8, zipSync } from "fflate";
import type { Schema } from "./openapi-schemas";
import { type ReferenceOperation, readReference } from "./reference";

const FOLDER = "switchboard";

/** The API as a zipped Bruno collection, from the OpenAPI document. The environment's secret is never in its files. */
export const brunoArchive = (document: Schema, origin: string): Uint8Array<ArrayBuffer> => {
  const { operations } = readReference(document);
  const files = [
    ["bruno.json", JSON.stringify({ version: "1", name: "Switchboard messaging API", type: "collection" }, null, 2)],
    ["environments/Switchboard.bru", environmentText(operations, origin)],
    ...operations.map((operation, index) => [`${operation.summary}.bru`, callText(operation, index + 1)] as const),
  ] as const;
  return zipSync(Object.fromEntries(files.map(([name, text]) => [`${FOLDER}/${name}`, strToU8(text)])));
};

const environmentText = (operations: ReferenceOperation[], origin: string): string => {
  const places = operations.flatMap((operation) => namesIn(operation, "path"));
  const empty = ["apiKey", ...places].map((name): Pair => [name, ""]);
  return `${block("vars", [["host", origin], ...empty])}\nvars:secret [\n  apiSecret\n]\n`;
};

const callText = (operation: ReferenceOperation, place: number): string => {
  const { method, path, summary, example } = operation;
  const body = example === undefined ? "" : JSON.stringify(example, null, 2);
  const blocks = [
    block("meta", [
      ["name", summary],
      ["type", "http"],
      ["seq", `${place}`],
    ]),
    block(method.toLowerCase(), [
      ["url", `{{host}}/api/v1/public${path.replace(/\{(\w+)\}/g, ":$1")}`],
      ["body", body === "" ? "none" : "json"],
      ["auth", "none"],
    ]),
    // The tilde disables a parameter until it is filled.
    block(
      "params:query",
      namesIn(operation, "query").map((name) => [`~${name}`, ""]),
    ),
    block(
      "params:path",
      namesIn(operation, "path").map((name) => [name, `{{${name}}}`]),
    ),
    block("headers", [
      ["apiKey", "{{apiKey}}"],
      ["apiSecret", "{{apiSecret}}"],
      // Another one for each request.
      ...namesIn(operation, "header").map((name): Pair => [name, "{{$guid}}"]),
    ]),
    body === "" ? "" : `body:json {\n${indented(body)}\n}\n`,
  ];
  return blocks.filter((text) => text !== "").join("\n");
};

const namesIn = ({ parameters }: ReferenceOperation, place: string): string[] =>
  parameters.filter((parameter) => parameter.place === place).map(({ path }) => path);

type Pair = [name: string, value: string];

/** In Bruno's markup; nothing where there is nothing in it. */
const block = (name: string, pairs: Pair[]): string =>
  pairs.length === 0 ? "" : `${name} {\n${indented(pairs.map((pair) => pair.join(": ")).join("\n"))}\n}\n`;

const indented = (text: string): string => text.replace(/^/gm, "  ");
