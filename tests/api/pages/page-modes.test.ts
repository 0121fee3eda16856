import { beforeAll, describe, expect, test } from "vitest";
import { showsOneMode } from "@/lib/core/page-mode";
import { endpointWithDelivery } from "../../support/endpoint-rows";
import { testServers } from "../../support/environment";
import { dashboardPages } from "../../support/pages";
import { requestRows } from "../../support/request-rows";
import { keyIdOf, messageRows, sql } from "../../support/rows";
import { signIn } from "../../support/session";
import { ORDER } from "../../support/template-records";
import { type Answer, provisionWorkspace, request, type TestWorkspace } from "../../support/workspace";

let workspace: TestWorkspace;
let cookie: string;
/** Every page of the dashboard, each for something of test mode. */
let pages: string[];

beforeAll(async () => {
  workspace = await provisionWorkspace({
    mode: "test",
    lines: [{ ref: "trial" }, { ref: "support", mode: "live", whatsappBusinessAccountId: "102200001" }],
    templates: [ORDER],
  });
  const trial = workspace.lines.trial?.id ?? "";
  const sent = await workspace.send({ ...TEXT, phoneNumberId: trial });
  const live = workspace.keys.other ?? { apiKey: "", apiSecret: "" };
  await workspace.call("POST", "/api/v1/public/messages/send", { body: LIVE_TEXT, key: live });
  cookie = await signIn(workspace.owner);
  const [call] = await requestRows(workspace, 1);
  const [contact] = await sql<{ id: string }[]>`
      select id from contacts where workspace_id = ${workspace.workspaceId} and phone = ${TEXT.phone}`;
  pages = dashboardPages({
    messageId: sent.body.data.id,
    requestId: call?.id ?? "",
    phoneNumberId: trial,
    templateId: Object.values(workspace.templates)[0] ?? "",
    contactId: contact?.id ?? "",
    keyId: await keyIdOf(workspace),
    ...(await endpointWithDelivery(workspace, { messageId: sent.body.data.id })),
  }).map(({ path }) => path);
});

const TEXT = { type: "text", phone: "447700900003", content: "In test mode" };
const LIVE_TEXT = { type: "text", phone: "447700900777", content: "In live mode" };

const read = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  request("GET", `${testServers().baseUrl}${path}`, { headers: { cookie, ...headers } });

const inTest = (path: string) => `${path}${path.includes("?") ? "&" : "?"}mode=test`;

/** The addresses that a page leads to: its links and its forms of filters. */
const leadsOf = (html: string): URL[] => {
  const links = [...html.matchAll(/<a\b[^>]*\shref="([^"]+)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
  const forms = [...html.matchAll(/<form\b[^>]*\saction="(\/[^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action = "", fields = ""]) =>
      /<input type="hidden" name="mode" value="test"/.test(fields) ? inTest(action) : action,
  );
  return [...links, ...forms].map((href) => new URL(href, "http://own.test")).filter(({ host }) => host === "own.test");
};

const isOfDashboard = ({ pathname }: URL) => pathname === "/dashboard" || pathname.startsWith("/dashboard/");

/** Ids of what the workspace has in live mode. */
const liveRecords = async (): Promise<string[]> => {
  const { workspaceId } = workspace;
  const rows = await sql<{ id: string }[]>`
      select id from phone_numbers where workspace_id = ${workspaceId} and mode = 'live'
      union all select id from api_keys where workspace_id = ${workspaceId} and mode = 'live'
      union all select id from messages where workspace_id = ${workspaceId} and mode = 'live'
      union all select id from api_requests where workspace_id = ${workspaceId} and mode = 'live'`;
  return rows.map(({ id }) => id);
};

/** Links that stand in a fixed mode, whatever the tab's is. */
const SENDS_A_REAL_MESSAGE = "/dashboard/send?mode=live";

describe("200", () => {
  test("a page shows the mode of its address, and a cookie changes nothing", async () => {
    const seen = async (path: string, headers = {}) => {
      const { status, text } = await read(path, headers);
      expect(status, path).toBe(200);
      return ["447700900003", "447700900777"].map((phone) => text.includes(phone));
    };
    expect(await seen("/dashboard/messages?mode=test")).toEqual([true, false]);
    expect(await seen("/dashboard/messages?mode=live")).toEqual([false, true]);
    const cookies = { cookie: `${cookie}; mode=test; theme=dark` };
    // There is a live line, so an address without a mode shows live messages, to everyone.
    for (const path of [
      "/dashboard/messages",
      "/dashboard/messages?mode=TEST",
      "/dashboard/messages?mode=test&mode=live",
    ]) {
      expect(await seen(path, cookies), path).toEqual([false, true]);
    }
    expect(await seen("/dashboard/messages?mode=test", { cookie: `${cookie}; mode=live` })).toEqual([true, false]);
  });

  test("every link, form and download of every page in test mode stays in test mode", async () => {
    const seen = new Set<string>();
    const waiting = pages.map(inTest);
    const lost: string[] = [];
    const live = await liveRecords();
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const { status, text } = await read(path);
      expect(status, path).toBe(200);
      const { pathname } = new URL(path, "http://own.test");
      const isOfLiveMode = live.some((id) => pathname.endsWith(id));
      for (const lead of leadsOf(text)) {
        const address = `${lead.pathname}${lead.search}`;
        if (/^\/api\/v1\/workspaces\/[^/]+\/(usage|messages)/.test(address)) {
          if (lead.searchParams.get("mode") !== "test") lost.push(`${path} leads to ${address}`);
        }
        if (!isOfDashboard(lead) || address === SENDS_A_REAL_MESSAGE) continue;
        const isSwitch =
          showsOneMode(pathname) && lead.pathname === pathname && lead.searchParams.get("mode") === "live";
        // The lists of what belongs to live mode are opened in live mode, and no other page is.
        const isOwnList = isOfLiveMode && showsOneMode(lead.pathname) && lead.searchParams.get("mode") === "live";
        if (isSwitch || isOwnList) continue;
        if (lead.searchParams.getAll("mode").join() !== "test") lost.push(`${path} leads to ${address}`);
        // One page of each kind, and lists as they are narrowed.
        const place = lead.pathname.replace(/\/[a-z]+_\w+$/, "/…");
        const kind = `${place}?${[...lead.searchParams.keys()].toSorted()}`;
        if (seen.has(kind)) continue;
        seen.add(kind);
        waiting.push(address);
      }
    }
    expect(lost).toEqual([]);
    expect(seen.size).toBeGreaterThan(25);
  }, 120_000);

  test("the switch is on the pages that show one mode, and on no other", async () => {
    for (const path of pages) {
      const { text } = await read(inTest(path));
      expect(text.includes('aria-label="Mode"'), path).toBe(showsOneMode(path));
    }
  });

  test("a page of one message or line shows its own mode, and leads to pages of that mode", async () => {
    const [message = ""] = pages.filter((path) => path.startsWith("/dashboard/messages/"));
    const { text } = await read(`${message}?mode=live`);
    const main = text.slice(text.indexOf("<main"), text.indexOf("</main>"));
    const leads = leadsOf(main).filter(isOfDashboard);
    expect(leads.length).toBeGreaterThan(3);
    for (const { pathname, searchParams } of leads) {
      expect(searchParams.get("mode"), pathname).toBe(showsOneMode(pathname) ? "test" : "live");
    }
    expect(text, "the link to copy").toMatch(/\/dashboard\/messages\/msg_\w+\?mode=test(&|\\u0026)workspace=ws_/);
  });
});

describe("303", () => {
  test("a link into another workspace keeps its mode", async () => {
    const other = await provisionWorkspace({ mode: "test" });
    const { id } = (await other.send(TEXT)).body.data;
    await sql`
        insert into members (workspace_id, user_id, role)
        select ${other.workspaceId}, id, 'member' from users where email = ${workspace.owner.email}`;
    const { status, headers } = await read(`/dashboard/messages/${id}?mode=test`, {
      cookie: `${cookie}; workspace=${workspace.workspaceId}`,
    });
    expect(status).toBe(307);
    const to = new URL(headers.get("location") ?? "", testServers().baseUrl);
    expect([to.pathname, Object.fromEntries(to.searchParams)]).toEqual([
      `/dashboard/messages/${id}`,
      { mode: "test", workspace: other.workspaceId },
    ]);
  });
});

describe("400", () => {
  const post = (mode: string, body: Record<string, unknown>) =>
    request("POST", `${testServers().baseUrl}/api/v1/workspaces/${workspace.workspaceId}/messages/send${mode}`, {
      headers: { cookie, "content-type": "application/json", origin: testServers().baseUrl },
      body: JSON.stringify(body),
    });

  test("a send that names no mode, whatever a cookie says", async () => {
    const before = await messageRows(workspace);
    for (const mode of ["", "?mode=", "?mode=Live", "?mode=prod"]) {
      const { status, body } = await post(mode, TEXT);
      expect([status, body.error, body.details.field], mode).toEqual([400, "VALIDATION_ERROR", "mode"]);
    }
    expect(await messageRows(workspace)).toHaveLength(before.length);
  });

  test.each([
    ["live", "trial"],
    ["test", "support"],
  ])("a %s send that names the line of the other mode", async (mode, ref) => {
    const before = await messageRows(workspace);
    const { status, body } = await post(`?mode=${mode}`, { ...TEXT, phoneNumberId: workspace.lines[ref]?.id });
    expect([status, body.error, body.details.field]).toEqual([400, "PHONE_NUMBER_NOT_FOUND", "phoneNumberId"]);
    expect(await messageRows(workspace)).toHaveLength(before.length);
  });
});
