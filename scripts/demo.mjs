import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { faultSentence } from "./fault-sentence.mjs";
import { ensureBuilt, ensureInstalled, ensureServerBuilt } from "./install.mjs";
import { DATA_DIRECTORY, localEnvironment, writePrivately } from "./local-environment.mjs";
import { choosePort } from "./ports.mjs";
import { ancestorsOfThis } from "./processes.mjs";
import { withProgress } from "./progress.mjs";

/** `npm run demo`: from a bare checkout to a running gateway with a workspace, an owner and a test key in it. */
const DEMO_FILE = path.join(DATA_DIRECTORY, "demo.json");
const SERVER_LOG = path.join(DATA_DIRECTORY, "server.log");
const OWNER_EMAIL = "owner@switchboard.test";
const ANCESTORS_CHECK_MS = 500;

const startedAt = performance.now();

try {
  await runDemo();
} catch (error) {
  console.error(`\n${faultSentence(error)}`);
  process.exit(1);
}

async function runDemo() {
  console.log("Switchboard demo");
  const port = await choosePort();
  await ensureInstalled({ withDev: false });
  mkdirSync(DATA_DIRECTORY, { recursive: true });
  // Packages can be imported from here on.
  const { startDatabase } = await import("./local-database.mjs");
  const database = await withProgress("Starting the database", startDatabase);
  const environment = localEnvironment({ port, databaseUrl: database.url, directory: DATA_DIRECTORY });
  // The first call needs no pages: they are built beside it.
  const arePagesBuilt = await ensureServerBuilt(environment);
  const { startServer } = await import("./server-process.mjs");
  const server = await withProgress("Starting the server", () =>
    startServer({ environment, logFile: SERVER_LOG, waitsForPages: arePagesBuilt }),
  );
  const { stop, isStopping } = stopOnSignal({ server, database });
  try {
    const { workspace, messageId } = await withProgress("Preparing the workspace", () => prepareWorkspace(environment));
    showWelcome({ workspace, messageId, appUrl: environment.APP_URL, arePagesBuilt });
  } catch (error) {
    console.error(`\n${faultSentence(error)}`);
    return stop(1);
  }
  if (arePagesBuilt) return;
  try {
    await ensureBuilt(environment);
    console.log(`  The dashboard is ready: ${environment.APP_URL}/dashboard`);
  } catch (error) {
    // Ctrl-C ends the build, too.
    if (!isStopping()) console.error(`\nThe API goes on without a dashboard. ${faultSentence(error)}`);
  }
}

/** Ends the server first, so that it can finish what it is doing while the database is still there. */
function stopOnSignal({ server, database }) {
  let isStopping = false;
  const stop = async (exitCode = 0) => {
    isStopping = true;
    console.log("\nStopping …");
    await server.stop();
    await database.stop();
    process.exit(exitCode);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => (isStopping ? server.kill() : void stop()));
  server.exited.then(() => {
    if (isStopping) return;
    console.error(`\nThe server exited unexpectedly; ${SERVER_LOG} says why.`);
    void stop(1);
  });
  // A killed npm does not signal its child; without npm, the demo may outlive its shell.
  const ancestors = ancestorsOfThis();
  const check = () => ancestorsOfThis() !== ancestors && !isStopping && void stop();
  if (process.env.npm_lifecycle_event) setInterval(check, ANCESTORS_CHECK_MS).unref();
  return { stop, isStopping: () => isStopping };
}

/** Provisions until a key works: since the last run a secret may be lost, a key revoked or the pepper changed. */
async function prepareWorkspace(environment) {
  Object.assign(process.env, environment);
  const { tsImport } = await import("tsx/esm/api");
  const { DEMO_PHONE, findFirstMessage, FIRST_MESSAGE_KEY, provisionDemoWorkspace } = await tsImport(
    "./demo-workspace.ts",
    import.meta.url,
  );
  const remembered = existsSync(DEMO_FILE) ? JSON.parse(readFileSync(DEMO_FILE, "utf8")) : {};
  const baseUrl = `http://localhost:${environment.PORT}`;
  const owner = { email: OWNER_EMAIL, password: remembered.owner?.password ?? randomBytes(12).toString("base64url") };
  for (let number = 1; ; number++) {
    const provisioned = await provisionDemoWorkspace(owner, {
      keyRef: number === 1 ? "demo" : `demo-${number}`,
      baseUrl,
      // Secret, because anyone with it could make the sandbox sign webhooks.
      lineToken: environment.DEMO_LINE_TOKEN,
    });
    const isRemembered = provisioned.apiKey === remembered.apiKey;
    const apiSecret = provisioned.apiSecret ?? (isRemembered ? remembered.apiSecret : undefined);
    if (!apiSecret) continue;
    const workspace = { baseUrl, owner, ...provisioned, apiSecret };
    const sent = await sendFirstMessage(workspace, DEMO_PHONE, FIRST_MESSAGE_KEY);
    // If the demo's limits or quota allow no call, look the message up in the database.
    const first = sent ?? (await findFirstMessage({ apiKey: workspace.apiKey, apiSecret }));
    if (!first) continue;
    writePrivately(DEMO_FILE, {
      baseUrl,
      workspaceId: workspace.workspaceId,
      owner,
      apiKey: workspace.apiKey,
      apiSecret,
      phoneNumberId: workspace.phoneNumberId,
      contactId: workspace.contactId,
      webhook: {
        url: `${baseUrl}/api/webhooks/whatsapp`,
        verifyToken: environment.WHATSAPP_VERIFY_TOKEN,
        appSecret: environment.WHATSAPP_APP_SECRET,
      },
      databaseUrl: environment.DATABASE_URL,
    });
    return { workspace, messageId: first.messageId };
  }
}

/** Sends one message for the printed status call; its idempotency key makes it the same on every run. */
async function sendFirstMessage({ baseUrl, apiKey, apiSecret, phoneNumberId }, phone, key) {
  const response = await fetch(`${baseUrl}/api/v1/public/messages/send`, {
    method: "POST",
    headers: { "content-type": "application/json", apiKey, apiSecret, "idempotency-key": key },
    body: JSON.stringify({ type: "text", phone, phoneNumberId, content: "The first message of this demo." }),
  });
  const answer = await response.json();
  if (response.ok) return { messageId: answer.data.id };
  if (response.status !== 401) console.log(`The first message was refused (${response.status}): ${answer.message}`);
  return undefined;
}

function showWelcome({ workspace, messageId, appUrl, arePagesBuilt }) {
  const { baseUrl, owner, apiKey, apiSecret } = workspace;
  const api = `${baseUrl}/api/v1/public`;
  const credentials = `-H 'apiKey: ${apiKey}' -H 'apiSecret: ${apiSecret}'`;
  const body = JSON.stringify({ type: "text", phone: "447700900003", content: "Hello from Switchboard" });
  // Another one in each run, so that its first call is sent.
  const key = `hello-${randomBytes(4).toString("hex")}`;
  console.log(`
Ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.

  Dashboard   ${appUrl}/dashboard${arePagesBuilt ? "" : " (pages, docs and clients are being built)"}
  Sign in     ${owner.email}
  Password    ${owner.password}
  API key     ${apiKey}
  API secret  ${apiSecret}

Send a message; this test number receives it, then reads it. A repeat returns the same message and sends nothing:
curl -sS ${api}/messages/send ${credentials} -H 'Content-Type: application/json' -H 'Idempotency-Key: ${key}' -d '${body}'

${
  messageId
    ? `Ask how the demo's first message is doing:
curl -sS ${api}/messages/${messageId} ${credentials}

`
    : ""
}List the approved templates:
curl -sS ${api}/templates ${credentials}

All of this is also in ${path.relative(process.cwd(), DEMO_FILE)}. Ctrl-C stops everything; the data stays in ${path.relative(process.cwd(), DATA_DIRECTORY)}/.`);
}
