import { KEY_NAME, SECRET_NAME } from "./curl";
import { heldJson, pythonArgument, pythonText, typescriptArgument } from "./literals";
import type { ApiCall, Caller } from "./snippets";

/** Writes the call as a TypeScript program that imports a local copy of `/docs/client.ts`. */
export function typescriptProgram(call: ApiCall, { origin, apiKey }: Caller): string {
  const key = apiKey === null ? `env.${KEY_NAME} ?? ""` : JSON.stringify(apiKey);
  const { method, argument, prints } = methodOf(call);
  const given =
    method === "send"
      ? `\n  ${typescriptArgument(call.body, "  ")},\n  { idempotencyKey: ${JSON.stringify(call.idempotencyKey)} },\n`
      : argument && `env.${argument} ?? ""`;
  return `import { env } from "node:process";
import { Switchboard } from "./client.ts";

const client = new Switchboard({
  apiKey: ${key},
  apiSecret: env.${SECRET_NAME} ?? "",
  origin: ${JSON.stringify(origin)},
});
const ${prints} = await client.${method}(${given});
console.log(${prints === "message" ? "message.id, message.status" : "templates.map(({ name }) => name)"});`;
}

/** The call as a program of the Python client. */
export function pythonProgram(call: ApiCall, { origin, apiKey }: Caller): string {
  const key = apiKey === null ? `os.environ["${KEY_NAME}"]` : pythonText(apiKey);
  const { method, argument, prints } = methodOf(call);
  const name = method.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const given =
    method === "send"
      ? `\n    ${pythonArgument(call.body, "    ")},\n    idempotency_key=${pythonText(call.idempotencyKey ?? "")},\n`
      : argument && `os.environ["${argument}"]`;
  const holdsJson = Object.values(call.body ?? {}).some((value) => heldJson(value) !== undefined);
  return `${holdsJson ? "import json\n" : ""}import os

from switchboard_client import Switchboard

client = Switchboard(
    ${key},
    os.environ["${SECRET_NAME}"],
    origin=${pythonText(origin)},
)
${prints} = client.${name}(${given})
print(${prints === "message" ? 'message["id"], message["status"]' : '[template["name"] for template in templates]'})`;
}

/** Returns the clients' method for a call, and the name of its result. */
const methodOf = ({ method, path }: ApiCall) => {
  const [, argument = ""] = /\$(\w+)$/.exec(path) ?? [];
  if (method === "POST") return { method: "send", argument, prints: "message" };
  if (argument !== "") return { method: "getMessage", argument, prints: "message" };
  return { method: "listTemplates", argument, prints: "templates" };
};
