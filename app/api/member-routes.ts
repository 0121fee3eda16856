import { listReader } from "@/db/read-lists";
import { sendHeaders, toMessageResource } from "@/lib/api/message-resource";
import { toPhoneNumberResource } from "@/lib/api/phone-number-resource";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { memberFromOwnPage, memberRoute, principalOf } from "@/lib/auth/member-request";
import { exportContacts } from "@/lib/contacts/export-contacts";
import { refuseGuess } from "@/lib/contacts/recipient";
import { AppError, invalidAt } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/arriving-bytes";
import { csvDownload } from "@/lib/core/csv";
import { readCursor } from "@/lib/core/keyset-page";
import { namedMode, readMode } from "@/lib/core/page-mode";
import { readSearchTerm } from "@/lib/core/search-term";
import { costPeriodOf, costScopeOf, readCostFilters } from "@/lib/costs/cost-range";
import { costDownload, readCostFile } from "@/lib/costs/download";
import { listMessageCosts } from "@/lib/costs/queries";
import { getCostReport } from "@/lib/costs/report-queries";
import { findByTerm } from "@/lib/dashboard/search-queries";
import { apiServe } from "@/lib/http/api-route";
import { jsonAnswer } from "@/lib/http/call";
import { parseJsonBytes } from "@/lib/http/json-text";
import { readBody, readJsonAs } from "@/lib/http/read-body";
import { routed } from "@/lib/http/route-table";
import { csvHeading, csvRows, usageDownload } from "@/lib/messages/list/downloads";
import { exportPerson } from "@/lib/messages/list/export-person";
import { countNewer, messagePages } from "@/lib/messages/list/log-queries";
import { readLogView } from "@/lib/messages/list/log-view";
import type { MessageSummary } from "@/lib/messages/message-summary";
import { findNamedMessage } from "@/lib/messages/queries";
import { sendMessage } from "@/lib/messages/send/send-message";
import { readUsageFilters, usageScope } from "@/lib/messages/usage/usage-range";
import { AccessToCheck } from "@/lib/phone-numbers/access-fields";
import { listConnectedLines } from "@/lib/phone-numbers/queries";
import { streamAccessChecks } from "@/lib/phone-numbers/stream-access-checks";
import { readAuditFilters } from "@/lib/workspaces/audit-filters";
import { auditDownload } from "@/lib/workspaces/audit-queries";
import { byUser } from "@/lib/workspaces/record-audit";

const EXPORTED_AT_ONCE = 500;

const costs = memberRoute(async ({ member, search }) => {
  const given = Object.fromEntries(search);
  const mode = readMode(given.mode) ?? "live";
  const { timeZone } = member.workspace;
  const filters = readCostFilters(given, member.role);
  const period = costPeriodOf(filters, new Date(), timeZone);
  const scope = costScopeOf(filters, { mode, timeZone, ...period });
  const report = await listReader(member).read(() => getCostReport(member.workspaceId, scope, member.role));
  return costDownload(report, readCostFile(given), period);
});

const phoneNumbers = memberRoute(async ({ member }) => {
  const lines = await listConnectedLines(member.workspaceId);
  return jsonAnswer({ success: true, data: { phoneNumbers: lines.map(toPhoneNumberResource) } });
});

/** One line of JSON for each check of a token and a business account as it is done; the last one holds the numbers. */
const accessChecks = apiServe({
  POST: async (call) => {
    await memberFromOwnPage(call, "manageLines");
    return streamAccessChecks(await readJsonAs(AccessToCheck, call));
  },
});

const usage = memberRoute(async ({ member, search }) => {
  const given = Object.fromEntries(search);
  const mode = readMode(given.mode) ?? "live";
  const { timeZone } = member.workspace;
  const scope = usageScope(readUsageFilters(given, member.role), { mode, timeZone, now: new Date() });
  return listReader(member).read(() => usageDownload(member.workspaceId, scope));
});

const search = memberRoute(async ({ member, search }) => {
  const term = readSearchTerm(search.get("q") ?? "");
  const found = term ? await findByTerm(member.workspaceId, term, member.role) : [];
  return jsonAnswer({ success: true, data: { found } });
});

const contacts = memberRoute(
  ({ member, requestId }) => exportContacts(member.workspaceId, listReader(member), byUser(member.userId, requestId)),
  "manageContacts",
);

const person = memberRoute(async ({ member, requestId, params }) => {
  const { contact, ...rest } = await exportPerson(
    member.workspaceId,
    params.contactId ?? "",
    byUser(member.userId, requestId),
  );
  return {
    status: 200,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="person-${contact.id}.json"`,
    },
    body: `${JSON.stringify({ contact, ...rest }, null, 2)}\n`,
  };
}, "exportContact");

const auditLog = memberRoute(async ({ member, search }) => {
  const list = { filters: readAuditFilters(Object.fromEntries(search)), timeZone: member.workspace.timeZone };
  return auditDownload(member.workspaceId, list, listReader(member));
}, "seeAuditLog");

const messages = memberRoute(async ({ member, search }) => {
  const view = readLogView(member, search);
  const fileName = `messages-${view.mode}-${new Date().toISOString().slice(0, 10)}.csv`;
  const lists = listReader(member);
  const pages = messagePages(view, EXPORTED_AT_ONCE, lists);
  const chargesOf = (page: MessageSummary[]) =>
    lists.read(() => listMessageCosts(view.workspaceId, view.timeZone, page));
  return csvDownload(fileName, csvHeading(member.role), csvRows(pages, member.role, chargesOf));
});

/** The message of an idempotency key, for a page whose send got no answer. */
const messageByKey = memberRoute(async ({ member, url, search }) => {
  const mode = namedMode(url);
  const key = search.get("key")?.trim();
  if (!key || key.includes("\0")) throw invalidAt("key", "is required.");
  const message = await findNamedMessage(member.workspaceId, mode, { idempotencyKey: key });
  if (!message) throw new AppError("NOT_FOUND", "No message has this idempotency key.");
  const { id, status, createdAt } = message;
  return jsonAnswer({ success: true, data: { id, status, createdAt: createdAt.toISOString() } });
});

const newerMessages = memberRoute(async ({ member, search }) => {
  const since = readCursor(search.get("since"));
  if (!since) throw invalidAt("since", "is no place in the log.");
  const view = readLogView(member, search);
  const newer = await listReader(member).read(() => countNewer(view, since));
  return jsonAnswer({ success: true, data: { newer } });
});

/** The partner API's send for the page that tries it out: the same body, rules and answers, in a member's name. */
const send = apiServe({
  POST: async ({ requestId, ...call }) => {
    const mode = namedMode(call.url);
    const member = await memberFromOwnPage(call, mode === "live" ? "sendLiveMessage" : "sendTestMessage");
    const body = parseJsonBytes(await readBody(call, { maxBytes: BODY_CAPS.action, from: "forms" }));
    const { request, idempotencyKey, ignoredFields } = parseSendRequest(body, call);
    refuseGuess(member.role, request);
    const principal = await principalOf(member, mode);
    const { message, isReplay } = await sendMessage(principal, request, { idempotencyKey, requestId });
    const data = toMessageResource(message, { idempotentReplay: isReplay });
    const headers = sendHeaders({ isReplay, ignoredFields });
    return jsonAnswer({ success: true, data }, { status: isReplay ? 200 : 201, headers });
  },
});

/** What members' pages read and download, and the send that they try out. */
export const serveMember = routed([
  { path: "/api/v1/workspaces/{workspaceId}/audit-log", serve: auditLog },
  { path: "/api/v1/workspaces/{workspaceId}/contacts/export", serve: contacts },
  { path: "/api/v1/workspaces/{workspaceId}/contacts/{contactId}/export", serve: person },
  { path: "/api/v1/workspaces/{workspaceId}/costs", serve: costs },
  { path: "/api/v1/workspaces/{workspaceId}/messages/by-key", serve: messageByKey },
  { path: "/api/v1/workspaces/{workspaceId}/messages/export", serve: messages },
  { path: "/api/v1/workspaces/{workspaceId}/messages/newer", serve: newerMessages },
  { path: "/api/v1/workspaces/{workspaceId}/messages/send", serve: send },
  { path: "/api/v1/workspaces/{workspaceId}/phone-numbers", serve: phoneNumbers },
  { path: "/api/v1/workspaces/{workspaceId}/phone-numbers/checks", serve: accessChecks },
  { path: "/api/v1/workspaces/{workspaceId}/search", serve: search },
  { path: "/api/v1/workspaces/{workspaceId}/usage", serve: usage },
  { path: "/api/v1/workspaces/*", serve: apiServe({}) },
]);
