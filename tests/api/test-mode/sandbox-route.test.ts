import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { sandboxSecret } from "@/lib/whatsapp/webhook-signature";
import { provisionDemoWorkspace } from "../../../scripts/demo-workspace";
import { reaching } from "../../support/awaiting";
import { testServers } from "../../support/environment";
import { PASSWORD } from "../../support/provision";
import { sql } from "../../support/rows";
import { expectSent } from "../../support/sends";
import { signatureOf } from "../../support/webhooks";
import {
  deliver,
  postWebhook,
  provisionWorkspace,
  request,
  statusWebhook,
  type TestWorkspace,
} from "../../support/workspace";

const READER = "447700900003";
const text = (phone = READER) => ({ type: "text", phone, content: "Hello" });
const named = (name: string) => FIXTURE_TEMPLATES.filter((template) => template.name === name);

/** A call of the built-in sandbox, as WhatsApp is called. */
const graph = async (token: string | undefined, path: string, body?: unknown, method = body ? "POST" : "GET") => {
  const { status, headers, text } = await request(method, `${testServers().baseUrl}/api/sandbox/v25.0/${path}`, {
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status, headers, body: JSON.parse(text) };
};
const graphText = (callbackData?: string, to = READER) => ({
  messaging_product: "whatsapp",
  recipient_type: "individual",
  to,
  type: "text",
  text: { body: "Hi" },
  ...(callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData }),
});

/** WhatsApp's answer for what does not exist or is out of reach; both read the same. */
const expectUnknownObject = async (answer: ReturnType<typeof graph>, id: string | undefined) => {
  const { status, body } = await answer;
  expect([status, body], JSON.stringify(body)).toEqual([
    400,
    {
      error: {
        message: expect.stringContaining(`Object with ID '${id}' does not exist`),
        type: "GraphMethodException",
        code: 100,
        error_subcode: 33,
        fbtrace_id: expect.any(String),
        error_data: { messaging_product: "whatsapp", details: expect.any(String) },
      },
    },
  ]);
};

describe("the sandbox route", () => {
  test("opens to the line's own token only; a stranger's, a live line's and an unknown id read alike", async () => {
    const workspace = await provisionWorkspace({
      mode: "test",
      lines: [{ ref: "trial" }, { ref: "real", mode: "live" }],
    });
    const stranger = await provisionWorkspace({ mode: "test" });
    const { trial, real } = workspace.lines;
    const own = trial?.accessToken;
    const path = `${trial?.whatsappPhoneNumberId}/messages`;
    const { status, body } = await graph(own, path, graphText());
    expect([status, body.messages.length]).toEqual([200, 1]);
    await expectUnknownObject(graph(stranger.lines.main?.accessToken, path, graphText()), trial?.whatsappPhoneNumberId);
    await expectUnknownObject(graph(`${own}x`, path, graphText()), trial?.whatsappPhoneNumberId);
    await expectUnknownObject(
      graph(own, `${real?.whatsappPhoneNumberId}/messages`, graphText()),
      real?.whatsappPhoneNumberId,
    );
    await expectUnknownObject(graph(own, "199999999999999/messages", graphText()), "199999999999999");
    for (const edge of ["message_templates", "phone_numbers", "subscribed_apps"]) {
      const account = stranger.whatsappBusinessAccountId;
      await expectUnknownObject(graph(own, `${account}/${edge}`), account);
    }
    const none = await graph(undefined, path, graphText());
    expect([none.status, none.body.error.code]).toEqual([401, 190]);
  });

  test("lists every template once, also where one is changed between two pages", async () => {
    const names = Array.from({ length: 60 }, (_, at) => `notice_${(at * 37) % 60}`);
    const workspace = await provisionWorkspace({
      mode: "test",
      templates: names.map((name, at) => ({ ...named("order_ready")[0], id: `59100${at}`, name })),
    });
    await sql`analyze templates`;
    const { accessToken } = workspace.lines.main ?? {};
    const found: string[] = [];
    let next: string | undefined = `${workspace.whatsappBusinessAccountId}/message_templates?limit=20&fields=name`;
    while (next) {
      const { body } = await graph(accessToken, next);
      found.push(...body.data.map(({ name }: { name: string }) => name));
      await sql`
        update templates set quality_score = 'YELLOW'
        where workspace_id = ${workspace.workspaceId} and name = ${found.at(-1) ?? ""}`;
      next = body.paging?.next?.split("/v25.0/")[1];
    }
    expect(found.toSorted()).toEqual(names.toSorted());
  });

  test("of two workspaces that call their accounts by one id, each sees its own templates", async () => {
    const [one, two] = await Promise.all(
      ["one", "two"].map((name) =>
        provisionWorkspace({
          mode: "test",
          templates: [{ ...named("order_ready")[0], name: `only_${name}` }, ...named("order_ready")],
        }),
      ),
    );
    if (!one || !two) throw new Error("two workspaces");
    for (const table of ["phone_numbers", "templates"]) {
      await sql`
        update ${sql(table)} set whatsapp_business_account_id = ${one.whatsappBusinessAccountId}
        where workspace_id = ${two.workspaceId}`;
    }
    for (const [workspace, name] of [
      [one, "only_one"],
      [two, "only_two"],
    ] as const) {
      const { body } = await graph(
        workspace.lines.main?.accessToken,
        `${one.whatsappBusinessAccountId}/message_templates`,
      );
      const names = new Set(body.data.map((template: { name: string }) => template.name));
      expect([...names].toSorted()).toEqual([name, "order_ready"]);
    }
  });

  test("a line whose token cannot be read any more closes itself and no other of the same id", async () => {
    const [workspace, broken] = [
      await provisionWorkspace({ mode: "test" }),
      await provisionWorkspace({ mode: "test" }),
    ];
    await sql`
        update phone_numbers set access_token = 'v1.00000000.AAAA',
          whatsapp_phone_number_id = ${workspace.whatsappPhoneNumberId} where workspace_id = ${broken.workspaceId}`;
    expectSent(await workspace.send(text()));
  });

  test("its webhooks move no message of a live line, even one that has the same platform id", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "real" }, { ref: "trial", mode: "test" }] });
    const { real, trial } = workspace.lines;
    await sql`
        update phone_numbers set whatsapp_phone_number_id = ${real?.whatsappPhoneNumberId ?? ""}
        where workspace_id = ${workspace.workspaceId} and id = ${trial?.id ?? ""}`;
    const { id, chatMessageId } = (await workspace.send(text("447700900123"))).body.data;
    const before = (await workspace.status(id)).body.data;
    expect(before.status).toBe("SENT");
    const { status } = await graph(trial?.accessToken, `${real?.whatsappPhoneNumberId}/messages`, graphText(id));
    expect(status).toBe(200);
    // Heard, and kept on the test line, where no message of this id is.
    await heardUnmatched(workspace, 3);
    expect((await workspace.status(id)).body.data).toEqual(before);

    const forged = JSON.stringify(
      statusWebhook({ whatsappBusinessAccountId: "1", whatsappPhoneNumberId: real?.whatsappPhoneNumberId ?? "" }, [
        { id: chatMessageId ?? "", status: "read", biz_opaque_callback_data: id },
      ]),
    );
    const signature = signatureOf(forged, sandboxSecret(testServers().environment.WHATSAPP_APP_SECRET ?? ""));
    expect((await postWebhook(forged, { "x-hub-signature-256": signature })).status).toBe(200);
    expect((await workspace.status(id)).body.data).toEqual(before);
    // The same words under the app's own signature count.
    await deliver(forged);
    expect((await workspace.status(id)).body.data.status).toBe("READ");
  });

  test("a demo's line opens to its own token only, and a changed one replaces it", async () => {
    const { baseUrl, environment } = testServers();
    Object.assign(process.env, environment);
    const owner = { email: `demo-${crypto.randomUUID()}@example.test`, password: PASSWORD };
    const provisionDemo = (lineToken: string) => provisionDemoWorkspace(owner, { keyRef: "demo", baseUrl, lineToken });
    const path = "200000000000001/messages";
    const statuses = async (...tokens: string[]) =>
      Promise.all(tokens.map(async (token) => (await graph(`sandbox-${token}`, path, graphText())).status));
    await provisionDemo("former");
    expect(await statuses("former", "newer", "access-token")).toEqual([200, 400, 400]);
    for (let run = 0; run < 2; run++) await provisionDemo("newer");
    expect(await statuses("former", "newer", "access-token")).toEqual([400, 200, 400]);
  });

  test("ids and tokens of test lines may be any words", async () => {
    const workspace = await provisionWorkspace({
      mode: "test",
      lines: [{ ref: "main", whatsappBusinessAccountId: `our_account-${Date.now()}`, accessToken: "EAA… any words" }],
    });
    await sql`
        update phone_numbers set whatsapp_phone_number_id = 'our-line_' || id where id = ${workspace.phoneNumberId}`;
    const answer = await workspace.send(text());
    expectSent(answer);
    expect((await reaching(workspace, answer.body.data.id, "READ")).status).toBe("READ");
  });

  test("takes the largest media that a send may have", async () => {
    const workspace = await provisionWorkspace({ mode: "test", templates: named("test_media_header") });
    const link = `${testServers().mediaUrl}/large.png?${workspace.workspaceId}`;
    const template = { type: "template", phone: READER, templateName: "test_media_header" };
    expectSent(await workspace.send({ ...template, templateVariables: { "1": "Ana", header_link: link } }));
  });
});

/** Waits until the line of the sandbox has this many events whose message is unknown. */
const heardUnmatched = async ({ workspaceId }: TestWorkspace, count: number) => {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from status_events where workspace_id = ${workspaceId} and message_id is null`;
    if (row?.count === count) return;
    if (Date.now() > deadline) throw new Error(`${row?.count} events instead of ${count}`);
    await sleep(200);
  }
};
