import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { z } from "zod";
import { FIXTURE_BUSINESS_ACCOUNT_ID, FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { createSandbox, type SandboxEvent, type SandboxSend } from "@/lib/sandbox/sandbox";
import { SandboxTemplate } from "@/lib/sandbox/template-layout";
import type { TemplateQuery } from "@/lib/sandbox/templates";
import { type Arguments, UsageError } from "../../clients/typescript/src/cli/command-line";
import { run } from "../operator-command";
import { readDemo } from "../running-demo";

const HOST = "127.0.0.1";
const MAX_BODY_BYTES = 110 * 1024 * 1024;
const MAX_KEPT_REQUESTS = 10_000;
const DEMO_FILE = ".data/demo.json";

const USAGE = `Usage: switchboard sandbox --port N --webhook URL [options]

A stand-in of the WhatsApp Cloud API on ${HOST}.

  --port N              where to listen; 0 picks a free port
  --webhook URL         where status webhooks go
  --app-secret SECRET   signs webhooks; else WHATSAPP_APP_SECRET, else ${DEMO_FILE}
  --templates FILE      templates as WhatsApp's list returns them; only these can be sent then
  --verify-token TOKEN  verify the webhook address at the start, as WhatsApp does
  --help                show this

GET /__requests lists the sends so far, DELETE /__requests forgets them.
`;
const OPTIONS = ["port", "webhook", "app-secret", "templates", "verify-token"];

export function sandbox(args: string[]): Promise<void> {
  return run({ usage: USAGE, options: OPTIONS, args }, async (given) => {
    start(readSettings(given));
    return true;
  });
}

function readSettings({ option }: Arguments) {
  const [port, webhook, templates] = [option("port"), option("webhook"), option("templates")];
  if (!port || !/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError("--port needs a number from 0 to 65535.");
  if (!webhook || !/^https?:/.test(webhook) || !URL.canParse(webhook))
    throw new UsageError("--webhook needs the http(s) address that status webhooks go to.");
  return {
    port: Number(port),
    webhook: { url: webhook, appSecret: option("app-secret") ?? findAppSecret() },
    templates: templates === undefined ? undefined : readTemplates(templates),
    verifyToken: option("verify-token"),
  };
}

function findAppSecret(): string {
  const secret = process.env.WHATSAPP_APP_SECRET || readDemo()?.webhook.appSecret;
  if (secret) return secret;
  throw new UsageError(
    `No app secret to sign webhooks with: pass --app-secret, set WHATSAPP_APP_SECRET or run the demo once (${DEMO_FILE}).`,
  );
}

const Templates = z.array(SandboxTemplate);

function readTemplates(file: string): SandboxTemplate[] {
  const parsed = z.union([Templates, z.object({ data: Templates })]).safeParse(readJsonFile(file));
  if (!parsed.success) throw new UsageError(`${file} does not hold templates as WhatsApp's list returns them.`);
  return Array.isArray(parsed.data) ? parsed.data : parsed.data.data;
}

function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${error instanceof Error ? error.message : "not JSON"}`);
  }
}

/** The fixtures belong to one account; a file applies to any account. */
const templatesFrom = (file: SandboxTemplate[] | undefined) => async (query: TemplateQuery) => {
  if (file) return file;
  const { whatsappBusinessAccountId = FIXTURE_BUSINESS_ACCOUNT_ID } = query;
  return whatsappBusinessAccountId === FIXTURE_BUSINESS_ACCOUNT_ID ? [...FIXTURE_TEMPLATES] : [];
};

function describeSend({ body }: SandboxSend): string {
  const send = z.object({ type: z.string(), to: z.string().optional() }).safeParse(body);
  if (!send.success) return "";
  return ` ${send.data.type} to …${(send.data.to ?? "").replace(/\D/g, "").slice(-3)}`;
}

function report(event: SandboxEvent): void {
  if (event.kind === "request") {
    console.log(`${event.method} ${event.path} ${event.status}${event.send ? describeSend(event.send) : ""}`);
    return;
  }
  if (event.answer === 200) return;
  const { status, whatsappMessageId, answer, attempt } = event;
  console.log(`webhook "${status}" of ${whatsappMessageId.slice(0, 20)}…: ${answer} on try ${attempt}`);
}

const ANSWER_TIMEOUT_MS = 10_000;

async function verifyWebhook(url: string, verifyToken: string): Promise<void> {
  const challenge = randomUUID();
  const address = new URL(url);
  address.searchParams.set("hub.mode", "subscribe");
  address.searchParams.set("hub.challenge", challenge);
  address.searchParams.set("hub.verify_token", verifyToken);
  const answer = await fetch(address, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }).then(
    async (response) =>
      response.status === 200 && (await response.text()) === challenge ? "verified" : response.status,
    () => "unreachable",
  );
  console.log(`webhook address: ${answer}`);
}

function start({ port, webhook, templates, verifyToken }: ReturnType<typeof readSettings>): void {
  const requests: (SandboxSend & { at: string; status: number })[] = [];
  const sandbox = createSandbox({
    webhook,
    templates: templatesFrom(templates),
    acceptUnknownTemplates: templates === undefined,
    log: (event) => {
      report(event);
      if (event.kind !== "request" || !event.send) return;
      requests.push({ at: event.at, ...event.send, status: event.status });
      if (requests.length > MAX_KEPT_REQUESTS) requests.shift();
    },
  });

  const answer = async (request: Request): Promise<Response> => {
    if (Number(request.headers.get("content-length")) > MAX_BODY_BYTES) return new Response(null, { status: 413 });
    if (new URL(request.url).pathname !== "/__requests") return sandbox.handle(request);
    if (request.method === "DELETE") requests.length = 0;
    return Response.json({ requests });
  };

  const server = serve({ fetch: answer, hostname: HOST, port, overrideGlobalObjects: false }, (bound) => {
    console.log(`sandbox listening on http://${HOST}:${bound.port}`);
    if (verifyToken !== undefined) void verifyWebhook(webhook.url, verifyToken);
  });
  server.on("error", (error: NodeJS.ErrnoException) => {
    console.error(error.code === "EADDRINUSE" ? `Port ${port} is taken. Pass another --port.` : error.message);
    process.exit(1);
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
}
