import { execFile } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiCall, type SnippetLanguage, snippetsOf } from "@/lib/docs/snippets";
import { listenOnLoopback } from "../../support/loopback";

const run = promisify(execFile);
const SECRET = `sk_test_${"s".repeat(8)}`;

type Seen = { method?: string; url?: string; headers: IncomingMessage["headers"]; body: string };
const seen: Seen[] = [];
let origin = "";
let close = async () => {};

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body });
    response.writeHead(201, { "content-type": "application/json" }).end('{"success":true}');
  });
  ({ url: origin, close } = await listenOnLoopback(server));
});
afterAll(() => close());

const COMMANDS: Record<SnippetLanguage, (code: string) => [string, string[]]> = {
  curl: (code) => ["sh", ["-c", code]],
  node: (code) => [process.execPath, ["--input-type=module", "-e", code]],
  python: (code) => ["python3", ["-c", code]],
};

const runIt = async (language: SnippetLanguage, call: ApiCall, apiKey: string | null) => {
  const [program, args] = COMMANDS[language](snippetsOf(call, { origin, apiKey })[language]);
  const { stdout } = await run(program, args, {
    env: { ...process.env, CHAT_API_SECRET: SECRET, CHAT_API_KEY: "pk_test_env", MESSAGE_ID: "msg_1" },
  });
  return { stdout, request: seen.at(-1) };
};

const BODY = {
  type: "template",
  phone: "447700900003",
  templateVariables: {
    "1": 'O\'Neil "x" $HOME `id` \\ %s 👍',
    "2": "#{a} $(b) {c}",
    link: "https://shop.example/a?b=1&c=2",
  },
  templateComponents: [{ type: "body", parameters: [], isNew: true, none: null, count: 2 }],
};

describe.each(["curl", "node", "python"] as const)("%s", (language) => {
  test("sends exactly the body, with the pair in its headers, whatever the values hold", async () => {
    const { request, stdout } = await runIt(
      language,
      { method: "POST", path: "/messages/send", body: BODY },
      "pk_test_1",
    );
    expect(request).toMatchObject({
      method: "POST",
      url: "/api/v1/public/messages/send",
      headers: { apikey: "pk_test_1", apisecret: SECRET, "content-type": "application/json" },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual(BODY);
    expect(stdout).toMatch(/success/);
  });

  test("takes the key from the environment where it is not to be shown, and a given idempotency key as it is", async () => {
    const call: ApiCall = { method: "POST", path: "/messages/send", body: {}, idempotencyKey: "order-8812" };
    const { request } = await runIt(language, call, null);
    expect(request?.headers).toMatchObject({ apikey: "pk_test_env", "idempotency-key": "order-8812" });
  });

  test("reads an id in the path from the environment", async () => {
    const { request } = await runIt(language, { method: "GET", path: "/messages/$MESSAGE_ID" }, null);
    expect([request?.method, request?.url]).toEqual(["GET", "/api/v1/public/messages/msg_1"]);
  });

  test("never holds a secret", () => {
    const code = snippetsOf({ method: "POST", path: "/messages/send", body: {} }, { origin, apiKey: "pk_test_1" });
    expect(code[language]).toContain("CHAT_API_SECRET");
    expect(code[language]).not.toMatch(/sk_/);
  });
});
