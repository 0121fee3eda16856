import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/ports.mjs";
import { callAction, saidByAction } from "../../support/actions";
import { startInstance } from "../../support/environment";
import { freshAccount } from "../../support/line-actions";
import { sql } from "../../support/rows";
import { PHONE } from "../../support/sends";
import { signIn } from "../../support/session";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const TEMPLATE = {
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  header: { kind: "none", text: "", sample: "" },
  body: "Hi {{1}}, your order is ready.",
  samples: ["Ada"],
  footer: "",
  buttons: [],
  cards: [],
};

const proxy = createServer((_, response) => {
  response.writeHead(502, { "content-type": "text/html" }).end("<h1>Sign in to the network</h1>");
});

let port: number;
let server: Awaited<ReturnType<typeof startInstance>>;
beforeAll(async () => {
  port = await freePort();
  server = await startInstance({ WHATSAPP_GRAPH_URL: `http://127.0.0.1:${port}` });
});
afterAll(async () => {
  await server.stop();
  proxy.closeAllConnections();
  proxy.close();
});

/** What is where WhatsApp should be, and the words for it. */
const PLACES: [string, () => unknown, RegExp][] = [
  ["a closed port", () => undefined, /connection refused/],
  [
    "a proxy with a page of its own",
    () => once(proxy.listen(port, "127.0.0.1"), "listening"),
    /HTTP 502 with an unreadable answer/,
  ],
];

describe.each(PLACES)("with %s in WhatsApp's place", (_place, open, why) => {
  let workspace: TestWorkspace;
  let said: Record<string, string>;

  beforeAll(async () => {
    await open();
    workspace = await provisionWorkspace();
    said = await everythingSaid();
  });

  /** What people read, by what they did, all at once: some wait for a time-out. */
  const everythingSaid = async (): Promise<Record<string, string>> => {
    const cookie = await signIn(workspace.owner);
    const { workspaceId, phoneNumberId, baseUrl: _, apiKey, apiSecret } = workspace;
    const account = freshAccount();
    const act = async (file: string, path: string, fields: Record<string, string>) => {
      const answer = await callAction(`app/dashboard/${file}`, {
        fields: { workspaceId, ...fields },
        headers: { cookie },
        path,
        baseUrl: server.baseUrl,
      });
      return JSON.stringify(saidByAction(answer.text) ?? answer.status);
    };
    const line = (name: string, fields: Record<string, string>) =>
      act(`phone-numbers/actions.ts#${name}`, `/dashboard/phone-numbers/${phoneNumberId}`, fields);
    const post = async (path: string, body: unknown, headers: Record<string, string>) => {
      const response = await fetch(`${server.baseUrl}${path}`, {
        method: "POST",
        headers: { origin: server.baseUrl, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return response.text();
    };
    const text = { type: "text", phone: PHONE, content: "Hello" };
    const deeds: Record<string, Promise<string>> = {
      "the checks of a new line": post(
        `/api/v1/workspaces/${workspaceId}/phone-numbers/checks`,
        { accessToken: "EAAnew0123456789", whatsappBusinessAccountId: account.whatsappBusinessAccountId },
        { cookie },
      ),
      "connecting a line": act("phone-numbers/actions.ts#connectLine", "/dashboard/phone-numbers/new", {
        label: "Shop",
        accessToken: "EAAnew0123456789",
        ...account,
      }),
      "replacing a token": line("replaceLineToken", { phoneNumberId, accessToken: "EAAnew0123456789" }),
      "subscribing the app": line("subscribeLineApp", { phoneNumberId }),
      "checking a line": line("runLineCheck", { phoneNumberId }),
      "syncing templates": act("templates/actions.ts#syncTemplates", "/dashboard/templates?mode=live", {
        mode: "live",
      }),
      "creating a template": act("templates/actions.ts#createTemplate", "/dashboard/templates/new?mode=live", {
        mode: "live",
        phoneNumberId,
        draft: JSON.stringify(TEMPLATE),
      }),
      "sending from the dashboard": post(`/api/v1/workspaces/${workspaceId}/messages/send?mode=live`, text, { cookie }),
      "sending through the API": post("/api/v1/public/messages/send", text, {
        apiKey,
        apiSecret,
        "x-forwarded-for": workspace.clientAddress,
      }),
    };
    return Object.fromEntries(
      await Promise.all(Object.entries(deeds).map(async ([name, deed]) => [name, await deed] as const)),
    );
  };

  test.each([
    "the checks of a new line",
    "connecting a line",
    "replacing a token",
    "subscribing the app",
    "checking a line",
    "syncing templates",
  ])("%s says that we could not reach WhatsApp, and blames neither token nor account", (deed) => {
    expect(said[deed]).toMatch(/We could not reach WhatsApp: /);
    expect(said[deed]).toMatch(why);
    expect(said[deed]).not.toMatch(
      /WhatsApp said|WhatsApp refuse|platform said|system user|whatsapp_business_management/i,
    );
    expect(said[deed], "no field is at fault").not.toMatch(/"issues":\{"/);
  });

  test.each(["creating a template", "sending from the dashboard", "sending through the API"])(
    "%s quotes nothing as WhatsApp's, and says whether anything was done",
    (deed) => {
      expect(said[deed]).toMatch(why);
      expect(said[deed]).toMatch(/we could not reach WhatsApp: |may have been (created|sent)/);
      expect(said[deed]).not.toMatch(/WhatsApp said|platform said|(WhatsApp|platform) refused/i);
      expect(said[deed]).not.toMatch(/"platform":\{/);
    },
  );

  test("a line's token is not marked as refused, and nothing of the new line is stored", async () => {
    const lines = await sql`
        select token_problem, access_token, subscribed_at from phone_numbers
        where workspace_id = ${workspace.workspaceId}`;
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ token_problem: null });
  });
});
