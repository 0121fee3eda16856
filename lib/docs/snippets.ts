import { heldJson, indented, jsonText, pythonArgument, pythonText, pythonValue, typescriptArgument } from "./literals";

/** A call of the partner API, to be written in several languages. */
export type ApiCall = {
  method: "GET" | "POST";
  /** Below the API's root: `/messages/send`. May hold `$NAME`, which is read from the environment. */
  path: string;
  body?: unknown;
  /** Written into the call; without it the programs generate one, and curl sends none. */
  idempotencyKey?: string;
};

/** The key is shown to those who may see keys. Only the browser that a secret was just shown to has the secret. */
export type Caller = { origin: string; apiKey: string | null; apiSecret?: string };

export const SNIPPET_LANGUAGES = { curl: "curl", node: "Node", python: "Python" } as const;
export type SnippetLanguage = keyof typeof SNIPPET_LANGUAGES;

/** The environment variables that every example reads a key pair from. */
export const KEY_NAME = "CHAT_API_KEY";
export const SECRET_NAME = "CHAT_API_SECRET";

const PUBLIC_API = "/api/v1/public";

/** Returns the call in every language. Each runs if the environment has the secret (and the key, if not given). */
export function snippetsOf(call: ApiCall, caller: Caller): Record<SnippetLanguage, string> {
  return { curl: curlOf(call, caller), node: node(call, caller), python: python(call, caller) };
}

const curlOf = ({ body, ...call }: ApiCall, caller: Caller): string =>
  curl(
    {
      ...call,
      url: `"${caller.origin}${PUBLIC_API}${call.path}"`,
      body: body === undefined ? undefined : indented(jsonText(body), "  "),
    },
    caller,
  );

/** `url` is quoted as the shell needs it, `body` is JSON. */
type CurlCall = { method: string; url: string } & { [Name in "idempotencyKey" | "body"]?: string | null | undefined };

/** A call of the partner API for a shell, which reads a key or secret that is not given from the environment. */
function curl(
  { method, url, idempotencyKey, body }: CurlCall,
  { apiKey, apiSecret }: { [Name in "apiKey" | "apiSecret"]?: string | null | undefined },
): string {
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${url}`,
    `-H ${apiKey ? quoted(`apiKey: ${apiKey}`) : `"apiKey: $${KEY_NAME}"`}`,
    `-H ${apiSecret ? quoted(`apiSecret: ${apiSecret}`) : `"apiSecret: $${SECRET_NAME}"`}`,
    ...(idempotencyKey ? [`-H ${quoted(`Idempotency-Key: ${idempotencyKey}`)}`] : []),
    ...(body ? ['-H "Content-Type: application/json"', `-d ${shellQuoted(body)}`] : []),
  ].join(" \\\n  ");
}

/** Uses double quotes if the shell would expand nothing inside them. */
function quoted(text: string): string {
  return /["$`\\!]/.test(text) ? shellQuoted(text) : `"${text}"`;
}

/** In single quotes a shell takes everything literally, except single quotes. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

type LoggedCall = { method: string; path: string; idempotencyKey: string | null; body: string | null };

/** Returns a curl command that repeats a logged call. */
export function reproduction(
  { path, ...call }: LoggedCall,
  { origin, apiKey }: { origin: string; apiKey: string | undefined },
): string {
  return curl({ ...call, url: quoted(`${origin}${path}`) }, { apiKey });
}

function node({ method, path, body, idempotencyKey }: ApiCall, { origin, apiKey }: Caller): string {
  const isPost = method === "POST";
  const key = idempotencyKey === undefined ? "crypto.randomUUID()" : JSON.stringify(idempotencyKey);
  const url = /\$\w/.test(path)
    ? `\`${origin}${PUBLIC_API}${path.replace(/\$(\w+)/g, `\${env.$1}`)}\``
    : JSON.stringify(`${origin}${PUBLIC_API}${path}`);
  return [
    'import { env } from "node:process";',
    "",
    ...(isPost
      ? ["// Reuse this key to retry: a message is sent at most once per key.", `const idempotencyKey = ${key};`, ""]
      : []),
    `const response = await fetch(${url}, {`,
    ...(isPost ? [`  method: "${method}",`] : []),
    "  headers: {",
    `    apiKey: ${apiKey === null ? `env.${KEY_NAME}` : JSON.stringify(apiKey)},`,
    `    apiSecret: env.${SECRET_NAME},`,
    ...(isPost ? ['    "Content-Type": "application/json",', '    "Idempotency-Key": idempotencyKey,'] : []),
    "  },",
    ...(isPost ? [`  body: JSON.stringify(${indented(jsonText(body ?? {}), "  ")}),`] : []),
    "});",
    "console.log(response.status, await response.json());",
  ].join("\n");
}

function python({ method, path, body, idempotencyKey }: ApiCall, { origin, apiKey }: Caller): string {
  const url = `${origin}${PUBLIC_API}${path}`;
  const address = /\$\w/.test(path) ? `f${pythonText(url).replace(/\$(\w+)/g, "{os.environ['$1']}")}` : pythonText(url);
  const isPost = method === "POST";
  const key = idempotencyKey === undefined ? "str(uuid.uuid4())" : pythonText(idempotencyKey);
  return [
    `import ${["json", "os", ...(isPost && idempotencyKey === undefined ? ["uuid"] : [])].join(", ")}`,
    "from urllib import error, request",
    "",
    ...(isPost
      ? [
          `body = ${pythonValue(body ?? {}, "")}`,
          "# Reuse this key to retry: a message is sent at most once per key.",
          `idempotency_key = ${key}`,
          "",
        ]
      : []),
    "call = request.Request(",
    `    ${address},`,
    `    method="${method}",`,
    "    headers={",
    `        "apiKey": ${apiKey === null ? `os.environ["${KEY_NAME}"]` : pythonText(apiKey)},`,
    `        "apiSecret": os.environ["${SECRET_NAME}"],`,
    ...(isPost ? ['        "Content-Type": "application/json",', '        "Idempotency-Key": idempotency_key,'] : []),
    "    },",
    ...(isPost ? ["    data=json.dumps(body).encode(),"] : []),
    ")",
    "try:",
    "    answer = request.urlopen(call)",
    "except error.HTTPError as refusal:",
    "    answer = refusal",
    "print(answer.status, json.load(answer))",
  ].join("\n");
}

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
function methodOf({ method, path }: ApiCall) {
  const [, argument = ""] = /\$(\w+)$/.exec(path) ?? [];
  if (method === "POST") return { method: "send", argument, prints: "message" };
  if (argument !== "") return { method: "getMessage", argument, prints: "message" };
  return { method: "listTemplates", argument, prints: "templates" };
}

/** Languages that a reader can choose for example calls. */
export const LANGUAGES = { ...SNIPPET_LANGUAGES, json: "JSON body" } as const;
export type Language = keyof typeof LANGUAGES;

export function readLanguage(stored: string | null): Language {
  return LANGUAGE_NAMES.find((name) => name === stored) ?? "curl";
}

const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];
