import { describe, expect } from "vitest";
import { actingAs, doneBy, freshAccount, refusalBy } from "../../support/line-actions";
import { auditEntries, sql } from "../../support/rows";
import { expectError, expectSent, TEXT } from "../../support/sends";
import { signIn } from "../../support/session";
import { testIn } from "../../support/test";
import {
  graphError,
  platformRequests,
  provisionWorkspace,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

const TOKEN = "EAAconnect0123456789";

const linesOf = ({ workspaceId }: TestWorkspace) =>
  sql`select * from phone_numbers where workspace_id = ${workspaceId} order by created_at, id`;

const test = testIn({ lines: [] });

/** A workspace without any line, and how its owner connects one. */
const emptyWorkspace = async () => {
  const workspace = await provisionWorkspace({ lines: [] });
  const act = await actingAs(workspace, workspace.owner);
  const connect = (fields: Record<string, string>) =>
    act("connectLine", { label: "Shop", accessToken: TOKEN, ...fields });
  return { workspace, act, connect };
};

/** The checks as a page's script asks for them. */
const streamChecks = async (workspace: TestWorkspace, body: object, headers: Record<string, string> = {}) => {
  const url = `${workspace.baseUrl}/api/v1/workspaces/${workspace.workspaceId}/phone-numbers/checks`;
  const response = await fetch(url, {
    method: "POST",
    headers: { cookie: await signIn(workspace.owner), origin: workspace.baseUrl, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: response.ok ? {} : JSON.parse(text) };
};

type Told = {
  check?: { name: string; state: string; platform?: string };
  numbers?: { whatsappPhoneNumberId: string }[];
};
const toldBy = (text: string): Told[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const namesIn = (reported: Told[]) => reported.flatMap(({ check }) => (check ? [`${check.name} ${check.state}`] : []));

describe("200: the checks, each on a line of its own as it is done", () => {
  test("of a good token and account, with the numbers at the end and nothing stored", async ({ workspace }) => {
    const { whatsappBusinessAccountId } = freshAccount("000003");
    const answer = await streamChecks(workspace, { accessToken: TOKEN, whatsappBusinessAccountId });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    const reported = toldBy(answer.text);
    expect(namesIn(reported)).toEqual([
      "token passed",
      "expiry passed",
      "scopes passed",
      "account passed",
      "numbers passed",
      "subscription warning",
    ]);
    expect(reported.at(-1)?.numbers).toHaveLength(3);
    expect(answer.text).not.toContain(TOKEN);
    expect(await linesOf(workspace)).toEqual([]);
  });

  test("the token stands in no address that WhatsApp sees", async ({ workspace }) => {
    const token = `EAA${workspace.workspaceId}`;
    const { whatsappBusinessAccountId } = freshAccount();
    await streamChecks(workspace, { accessToken: token, whatsappBusinessAccountId });
    const seen = [...(await platformRequests("me")), ...(await platformRequests(whatsappBusinessAccountId))];
    expect(seen.filter(({ headers }) => headers.authorization === `Bearer ${token}`).length).toBeGreaterThan(2);
    expect(seen.filter(({ path }) => path.includes(token))).toEqual([]);
  });

  test.for<[string, string, string[]]>([
    ["expired-1", "", ["token failed"]],
    ["day-long-1", "", ["expiry warning", "numbers passed"]],
    ["narrow-1", "", ["scopes failed", "numbers passed"]],
    ["EAAgood", "000000", ["numbers failed"]],
  ])("of the token %s and an account that ends in %j", async ([accessToken, end, expected], { workspace }) => {
    const access = { accessToken, whatsappBusinessAccountId: freshAccount(end).whatsappBusinessAccountId };
    const reported = toldBy((await streamChecks(workspace, access)).text);
    expect(namesIn(reported)).toEqual(expect.arrayContaining(expected));
    const hasFailed = expected.some((word) => word.endsWith("failed"));
    expect(reported.at(-1)?.numbers?.length).toBe(hasFailed ? 0 : 1);
  });

  test("of an account out of reach, in WhatsApp's own words", async ({ workspace }) => {
    const { whatsappBusinessAccountId } = freshAccount();
    const refusal = graphError(100, "Object does not exist", { error_subcode: 33 });
    await scriptPlatform(whatsappBusinessAccountId, "", [refusal]);
    const reported = toldBy((await streamChecks(workspace, { accessToken: TOKEN, whatsappBusinessAccountId })).text);
    const platform = expect.stringContaining("Object does not exist");
    expect(reported.at(-2)?.check).toMatchObject({ name: "account", state: "failed", platform });
    expect(reported.at(-1)).toEqual({ numbers: [] });
  });
});

describe("200: connected", () => {
  test("a number becomes the default line of its mode, and the next send goes out on it", async () => {
    const { workspace, connect } = await emptyWorkspace();
    const account = freshAccount();
    const { id } = doneBy(await connect(account)) as { id: string };
    expectSent(await workspace.send(TEXT));
    const [send] = await platformRequests(account.whatsappPhoneNumberId, "messages");
    expect(send?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(await linesOf(workspace)).toMatchObject([
      {
        id,
        mode: "live",
        label: "Shop",
        is_default: true,
        is_active: true,
        quality_rating: "GREEN",
        token_checked_at: expect.any(String),
        subscribed_at: expect.any(String),
        token_expires_at: null,
        access_token: expect.stringMatching(/^v1\./),
      },
    ]);
    const audit = (await auditEntries(workspace.workspaceId)).at(-1);
    expect(audit).toMatchObject({ action: "phoneNumber.connected", after: { label: "Shop", accessToken: "hidden" } });
    expect(JSON.stringify(audit)).not.toContain(TOKEN);
  });

  test("the app is subscribed where it was not, and left alone where it was", async () => {
    const { connect } = await emptyWorkspace();
    const account = freshAccount("000003");
    const posts = async () => {
      const calls = await platformRequests(account.whatsappBusinessAccountId, "subscribed_apps");
      return calls.filter(({ method }) => method === "POST");
    };
    doneBy(await connect(account));
    expect(await posts()).toHaveLength(1);
    const second = { ...account, whatsappPhoneNumberId: `3${account.whatsappBusinessAccountId.slice(1)}` };
    doneBy(await connect(second));
    expect(await posts()).toHaveLength(1);
  });

  test("a number that was disconnected is the same line again", async () => {
    const { workspace, connect, act } = await emptyWorkspace();
    const account = freshAccount();
    const { id } = doneBy(await connect(account)) as { id: string };
    const sent = await workspace.send(TEXT);
    doneBy(await act("removeLine", { phoneNumberId: id }));
    expect(doneBy(await connect({ ...account, label: "Shop again" }))).toEqual({ id });
    expectSent(await workspace.send({ ...TEXT, phoneNumberId: id }));
    expect((await workspace.status(sent.body.data.id)).status).toBe(200);
    expect(await linesOf(workspace)).toMatchObject([{ label: "Shop again", disconnected_at: null, is_default: true }]);
  });

  test("of two who connect one number at once, one gets that it is connected already", async () => {
    const { workspace, connect } = await emptyWorkspace();
    const account = freshAccount();
    const answers = await Promise.all([connect(account), connect(account)]);
    expect(answers.filter(({ text }) => text.includes("is connected already"))).toHaveLength(1);
    expect(await linesOf(workspace)).toHaveLength(1);
  });

  test("a test line needs no token: a test key sends from it, and its message is read", async () => {
    const { workspace, act } = await emptyWorkspace();
    const { id } = doneBy(await act("addSandboxLine", { label: "Try" })) as { id: string };
    const key = workspace.keys.other ?? null;
    const sent = await workspace.send({ ...TEXT, phone: "447700900003" }, workspace.keys.other);
    expectSent(sent);
    const status = async () =>
      (await workspace.call("GET", `/api/v1/public/messages/${sent.body.data.id}`, { key })).body.data.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("READ");
    expect(await linesOf(workspace)).toMatchObject([{ id, mode: "test", label: "Try" }]);
  });

  test("a further test line shares the account, and so the templates, of the first", async () => {
    const { workspace, act } = await emptyWorkspace();
    for (const label of ["One", "Two"]) doneBy(await act("addSandboxLine", { label }));
    const [one, two] = await linesOf(workspace);
    expect(two?.whatsapp_business_account_id).toBe(one?.whatsapp_business_account_id);
    expect(two?.whatsapp_phone_number_id).not.toBe(one?.whatsapp_phone_number_id);
    expect([one?.is_default, two?.is_default]).toEqual([true, false]);
  });
});

describe("200: refused by field, and nothing is stored", () => {
  test.each<[string, Record<string, string>, string, RegExp]>([
    ["an expired token", { accessToken: "expired-1" }, "accessToken", /refuses the token.*Session has expired/],
    ["a token without a right", { accessToken: "narrow-1" }, "accessToken", /lacks whatsapp_business_management/],
    ["an account id in words", { whatsappBusinessAccountId: "my shop" }, "whatsappBusinessAccountId", /5 to 20 digits/],
    ["another account's number", { whatsappPhoneNumberId: "299999999" }, "whatsappPhoneNumberId", /not one of/],
    ["no name", { label: " " }, "label", /name/],
  ])("%s", async (_, fields, field, words) => {
    const { workspace, connect } = await emptyWorkspace();
    const { issues } = refusalBy(await connect({ ...freshAccount(), ...fields }));
    expect(issues[field]).toMatch(words);
    expect(await linesOf(workspace)).toEqual([]);
  });

  test("a subscription that WhatsApp refuses", async () => {
    const { workspace, connect } = await emptyWorkspace();
    const account = freshAccount();
    const answers = [{ json: { data: [] } }, graphError(200, "Permissions error")];
    await scriptPlatform(account.whatsappBusinessAccountId, "subscribed_apps", answers);
    expect(refusalBy(await connect(account)).issues.accessToken).toMatch(/could not be subscribed.*Permissions error/);
    expect(await linesOf(workspace)).toEqual([]);
  });
});

describe("400 and 403 of the checks", () => {
  const BODY = { accessToken: TOKEN, whatsappBusinessAccountId: "1234567890" };

  test("a body without what is needed, by field", async ({ workspace }) => {
    const answer = await streamChecks(workspace, { accessToken: "" });
    expect(answer.status).toBe(400);
    expect(answer.body.details.issues).toMatchObject([{ path: "accessToken" }, { path: "whatsappBusinessAccountId" }]);
  });

  test("a request of another site", async ({ workspace }) => {
    const foreign: Record<string, string>[] = [
      { origin: "" },
      { origin: "https://evil.test" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      const answer = await streamChecks(workspace, BODY, headers);
      expectError(answer, { status: 403, error: "FORBIDDEN", details: { retryable: false } });
    }
  });
});
