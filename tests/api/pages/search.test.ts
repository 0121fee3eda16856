import { beforeAll, describe, expect, test } from "vitest";
import { endpointWithDelivery } from "../../support/endpoint-rows";
import { testServers } from "../../support/environment";
import { requestRows } from "../../support/request-rows";
import { sql } from "../../support/rows";
import { signIn } from "../../support/session";
import { type Answer, provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

const PHONE = "447700900126";

let own: TestWorkspace;
let cookies: Record<"owner" | "member" | "stranger", string>;
let sent: Answer;
let refused: Answer;

beforeAll(async () => {
  const template = {
    id: "5900010001",
    name: "order_ready",
    language: "en_US",
    status: "APPROVED",
    category: "UTILITY",
  };
  own = await provisionWorkspace({
    templates: [{ ...template, components: [{ type: "BODY", text: "Your order is ready." }] }],
    contacts: [{ ref: "ada", phone: PHONE, name: "Ada Lovelace" }],
  });
  const other = await provisionWorkspace();
  sent = await own.send({ type: "text", phone: PHONE, content: "Hi" }, { "Idempotency-Key": "order 8812" });
  refused = await own.send({ type: "text", phone: "0770", content: "Hi" }, { "Idempotency-Key": "order 8813" });
  await requestRows(own, 2);
  const [owner, member, stranger] = await Promise.all([own.owner, own.member, other.owner].map((sign) => signIn(sign)));
  cookies = { owner: owner ?? "", member: member ?? "", stranger: stranger ?? "" };
});

const search = async (q: string, who: keyof typeof cookies = "owner"): Promise<Record<string, string>[]> => {
  const url = `${testServers().baseUrl}/api/v1/workspaces/${own.workspaceId}/search?${new URLSearchParams({ q })}`;
  const answer = await request("GET", url, { headers: { cookie: cookies[who] } });
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text).data.found;
};

const paths = async (...given: Parameters<typeof search>) => (await search(...given)).map(({ path }) => path);

describe("200", () => {
  test("an error code leads to its page, WhatsApp's or ours", async () => {
    expect(await paths("131047")).toEqual(["/docs/errors/platform/131047"]);
    expect(await paths("plan_limit_exceeded", "member")).toEqual(["/docs/errors/PLAN_LIMIT_EXCEEDED"]);
    expect(await paths("999999")).toEqual([]);
  });

  test("each id leads to its page", async () => {
    const { id, chatMessageId } = sent.body.data;
    const message = `/dashboard/messages/${id}`;
    expect(await paths(id)).toEqual([message]);
    expect(await paths(`"${chatMessageId}"`)).toEqual([message]);
    const { requestId } = refused.body.details;
    expect(await paths(requestId)).toEqual([`/dashboard/requests/${requestId}`]);
    expect(await paths(refused.text)).toEqual([`/dashboard/requests/${requestId}`]);
    expect(await paths(own.phoneNumberId)).toEqual([`/dashboard/phone-numbers/${own.phoneNumberId}`]);
    expect(await paths(own.whatsappPhoneNumberId)).toEqual([`/dashboard/phone-numbers/${own.phoneNumberId}`]);
    expect(await paths(own.contacts.ada ?? "")).toEqual([`/dashboard/contacts/${own.contacts.ada}`]);
    const [key] = await sql<{ id: string }[]>`select id from api_keys where api_key = ${own.apiKey}`;
    expect(await paths(own.apiKey)).toEqual([`/dashboard/settings/api-keys/${key?.id}`]);
    expect(await paths(key?.id ?? "")).toEqual([`/dashboard/settings/api-keys/${key?.id}`]);
    const [template] = Object.values(own.templates);
    expect(await paths(template ?? "")).toEqual([`/dashboard/templates/${template}`]);
  });

  test("the webhook-id in a receiver's log leads to its delivery, except for a member", async () => {
    const { endpointId, deliveryId } = await endpointWithDelivery(own);
    const endpoint = `/dashboard/settings/webhooks/${endpointId}`;
    expect(await paths(endpointId)).toEqual([endpoint]);
    expect(await paths(`"webhook-id": "${deliveryId}"`)).toEqual([`${endpoint}/deliveries/${deliveryId}`]);
    for (const id of [endpointId, deliveryId]) expect(await paths(id, "member")).toEqual([]);
  });

  test("an idempotency key leads to its message and its calls", async () => {
    const requestId = sent.headers.get("x-request-id");
    expect(await paths(" order 8812 ")).toEqual([
      `/dashboard/messages/${sent.body.data.id}`,
      `/dashboard/requests/${requestId}`,
    ]);
    expect(await paths("order 8813")).toEqual([`/dashboard/requests/${refused.body.details.requestId}`]);
  });

  test.each([PHONE, `+${PHONE}`, "+44 7700 900 126", "0044 7700-900126", "+44 (0)7700 900126"])(
    "%s leads to what was sent to it, and to the contact",
    async (written) => {
      expect(await paths(written)).toEqual([
        `/dashboard/messages?q=%2B${PHONE}`,
        `/dashboard/contacts/${own.contacts.ada}`,
      ]);
    },
  );

  test("a word of a name, a part of a number and a part of a label lead to whom and what they are of", async () => {
    const [key] = await sql<
      { id: string; label: string }[]
    >`select id, label from api_keys where api_key = ${own.apiKey}`;
    const [line] = await sql<{ label: string }[]>`select label from phone_numbers where id = ${own.phoneNumberId}`;
    const ada = `/dashboard/contacts/${own.contacts.ada}`;
    for (const text of ["ada", "LOVELACE", "lovelace ada", "0126", "07700 900126"])
      expect(await paths(text), text).toEqual([ada]);
    expect(await paths(line?.label.slice(1) ?? "")).toContain(`/dashboard/phone-numbers/${own.phoneNumberId}`);
    expect(await paths("R_READY")).toEqual([`/dashboard/templates/${Object.values(own.templates)[0]}`]);
    expect(await paths(key?.label.slice(1) ?? "")).toContain(`/dashboard/settings/api-keys/${key?.id}`);
    expect([await paths("lovelace", "member"), await paths("0126", "member")]).toEqual([[ada], []]);
    expect(await paths(key?.label ?? "", "member")).not.toContain(`/dashboard/settings/api-keys/${key?.id}`);
  });

  test("a member finds the same with the number masked, and no key", async () => {
    const [message] = await search(sent.body.data.id, "member");
    expect(message?.word).toBe("Message to 44770•••0126");
    expect(await paths(own.apiKey, "member")).toEqual([]);
  });

  test("a guessed number finds a member all of its mask, so that a hit reveals no more than the mask", async () => {
    const guess = "447705550126";
    expect(await paths(guess, "member")).toContain(`/dashboard/contacts/${own.contacts.ada}`);
    expect(await paths(guess)).toEqual([]);
  });

  test("nothing is found by nothing, by a secret, by hostile texts and by what no one has", async () => {
    for (const q of ["", " ", own.apiSecret, "a\0b", "msg_01m7w7dr16j57xj0jhk1qj5zzz", "' or 1=1 --", "%", "\ud800"]) {
      expect(await paths(q), q).toEqual([]);
    }
  });
});

describe("404", () => {
  test("a stranger searches nothing of this workspace", async () => {
    const url = `${testServers().baseUrl}/api/v1/workspaces/${own.workspaceId}/search?q=${sent.body.data.id}`;
    const answer = await request("GET", url, { headers: { cookie: cookies.stranger } });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain("Message to");
  });
});
