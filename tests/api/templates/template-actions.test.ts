import { randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import type { TemplateDraft } from "@/lib/whatsapp/draft";
import { testServers } from "../../support/environment";
import { act } from "../../support/people";
import { sql } from "../../support/rows";
import { readAs } from "../../support/session";
import { bodyOf, ORDER, templateRecord, templateWebhook, urlButton } from "../../support/template-records";
import { test } from "../../support/test";
import {
  deliver,
  graphError,
  platformRequests,
  provisionWorkspace,
  scriptPlatform,
  type TestWorkspace,
} from "../../support/workspace";

const ACTIONS = "app/dashboard/templates/actions.ts";

const draftOf = (some: Partial<TemplateDraft> = {}): TemplateDraft => ({
  name: `order_${randomBytes(6).toString("hex")}`,
  language: "en_US",
  category: "UTILITY",
  header: { kind: "none", text: "", sample: "" },
  body: "Hi {{1}}, your order is ready.",
  samples: ["Ada"],
  footer: "",
  buttons: [],
  cards: [],
  ...some,
});

type Role = "owner" | "admin" | "member";

const call = (workspace: TestWorkspace, name: string, fields: Record<string, string>, role: Role = "owner") =>
  act(`${ACTIONS}#${name}`, {
    fields: { workspaceId: workspace.workspaceId, mode: "live", ...fields },
    as: workspace[role],
    path: name === "createTemplate" ? "/dashboard/templates/new" : "/dashboard/templates",
  });

const sync = (workspace: TestWorkspace, role?: Role) => call(workspace, "syncTemplates", {}, role);
const create = (workspace: TestWorkspace, draft: unknown, role?: Role, more: Record<string, string> = {}) =>
  call(
    workspace,
    "createTemplate",
    { phoneNumberId: workspace.phoneNumberId, draft: JSON.stringify(draft), ...more },
    role,
  );

const storedOf = (workspace: TestWorkspace) => sql`
  select id, name, status, rejected_reason, category, components, whatsapp_template_id from templates
  where workspace_id = ${workspace.workspaceId} order by name`;
const auditOf = (workspace: TestWorkspace) => sql`
  select action, target_id, actor_kind, before, after from audit_log
  where workspace_id = ${workspace.workspaceId} and action = 'template.submitted'`;
/** As if all that is stored had been so for long. */
const monthsAgo = ({ workspaceId }: TestWorkspace) => sql`
  update templates set status_changed_at = now() - interval '60 days', synced_at = now() - interval '60 days'
  where workspace_id = ${workspaceId}`;
const listed = (workspace: TestWorkspace, ...answers: Parameters<typeof scriptPlatform>[2]) =>
  scriptPlatform(workspace.whatsappBusinessAccountId, "message_templates", answers);

describe("a sync", () => {
  test("by any member brings what has changed, what is new and what has gone", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER, templateRecord("gone", [bodyOf("Bye")])] });
    const paused = { ...ORDER, status: "PAUSED" };
    await listed(workspace, { json: { data: [paused, templateRecord("new_one", [bodyOf("Hello")])] } });
    const { said } = await sync(workspace, "member");
    expect(said).toEqual({ ok: true, value: { count: 2, queued: 0 } });
    const rows = await storedOf(workspace);
    expect(rows.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "gone DELETED",
      "new_one APPROVED",
      "order_ready PAUSED",
    ]);
  });

  test("reports to the Overview what was paused since the last one, not what long was", async () => {
    const record = (name: string, status: string) => templateRecord(name, [bodyOf("Hi")], { status });
    const [long, since] = [record("paused_long_ago", "PAUSED"), record("paused_since", "APPROVED")];
    const workspace = await provisionWorkspace({ templates: [long, since] });
    await monthsAgo(workspace);
    const found = record("found_rejected", "REJECTED");
    await listed(workspace, { json: { data: [long, { ...since, status: "PAUSED" }, found] } });
    expect((await sync(workspace)).said).toEqual({ ok: true, value: { count: 3, queued: 0 } });
    const { text } = await readAs(workspace.member, "/dashboard");
    const reported = [...text.matchAll(/Template (\w+) \(en_US\): (\w+) by WhatsApp/g)];
    expect([...new Set(reported.map(([, name, status]) => `${name} ${status}`))]).toEqual(["paused_since paused"]);
  });

  test("is newer than every webhook of an earlier time, whatever it found", async () => {
    const gone = templateRecord("gone", [bodyOf("Bye")]);
    const same = templateRecord("same", [bodyOf("Hi")]);
    const workspace = await provisionWorkspace({ templates: [ORDER, gone, same] });
    await monthsAgo(workspace);
    await listed(workspace, { json: { data: [{ ...ORDER, status: "PAUSED" }, same] } });
    await sync(workspace);
    const tell = async (event: string, secondsFromNow: number) => {
      const atSeconds = Math.floor(Date.now() / 1_000) + secondsFromNow;
      for (const one of [ORDER, gone, same]) await deliver(templateWebhook(workspace, one, event, { atSeconds }));
      return (await storedOf(workspace)).map(({ name, status }) => `${name} ${status}`);
    };
    expect(await tell("DISABLED", -60)).toEqual(["gone DELETED", "order_ready PAUSED", "same APPROVED"]);
    expect(await tell("DISABLED", 60)).toEqual(["gone DISABLED", "order_ready DISABLED", "same DISABLED"]);
  });

  test("that WhatsApp refuses says why in its words, and what was stored stays", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    await listed(workspace, graphError(190, "Error validating access token: it has expired"));
    const { said } = await sync(workspace);
    expect(said).toMatchObject({ ok: false, message: expect.stringMatching(/190.*expired.*as of the last sync/) });
    expect((await storedOf(workspace)).map(({ status }) => status)).toEqual(["APPROVED"]);
  });

  test("without a line of the mode says that one is needed", async ({ workspace }) => {
    const { said } = await call(workspace, "syncTemplates", { mode: "test" });
    expect(said).toMatchObject({ ok: false, message: expect.stringContaining("no test line") });
  });
});

describe("a new template", () => {
  test("is submitted as written, stored as WhatsApp answered, and audited", async ({ workspace }) => {
    const draft = draftOf({
      category: "MARKETING",
      footer: "Shop",
      buttons: [{ kind: "url", label: "Track", target: "https://shop.example/o/{{1}}", sample: "8812" }],
    });
    const { said } = await create(workspace, draft, "admin");
    const [stored] = await storedOf(workspace);
    expect(said).toEqual({ ok: true, value: { templateId: stored?.id, status: "PENDING" } });
    expect(stored).toMatchObject({ name: draft.name, status: "PENDING", category: "MARKETING" });

    const [request] = await platformRequests(workspace.whatsappBusinessAccountId, "message_templates");
    expect(JSON.parse(request?.body ?? "")).toEqual({
      name: draft.name,
      language: "en_US",
      category: "MARKETING",
      parameter_format: "POSITIONAL",
      components: [
        { type: "BODY", text: draft.body, example: { body_text: [["Ada"]] } },
        { type: "FOOTER", text: "Shop" },
        {
          type: "BUTTONS",
          buttons: [
            { ...urlButton("https://shop.example/o/{{1}}"), text: "Track", example: ["https://shop.example/o/8812"] },
          ],
        },
      ],
    });
    expect(await auditOf(workspace)).toEqual([
      {
        action: "template.submitted",
        target_id: stored?.id,
        actor_kind: "user",
        before: null,
        after: expect.objectContaining({ name: draft.name, status: "PENDING" }),
      },
    ]);
  });

  test("hands WhatsApp its sample media, once for each address", async ({ workspace }) => {
    const header = { kind: "image" as const, text: "", sample: `${testServers().mediaUrl}/sample.png` };
    const buttons = [{ kind: "quickReply" as const, label: "Yes", target: "", sample: "" }];
    const card = { header, body: "", samples: [], buttons };
    const { said } = await create(workspace, draftOf({ category: "MARKETING", cards: [card, card] }));
    expect(said).toMatchObject({ ok: true });
    const [request] = await platformRequests(workspace.whatsappBusinessAccountId, "message_templates");
    const { components } = JSON.parse(request?.body ?? "");
    const handles = components[1].cards.map(
      (one: { components: { example: { header_handle: string[] } }[] }) => one.components[0]?.example.header_handle[0],
    );
    expect(handles[0]).toMatch(/^4::handle/);
    expect(new Set(handles).size).toBe(1);
  });

  test("with faults names each field, and reaches no one, nor does one that cannot be read", async ({ workspace }) => {
    const draft = draftOf({
      name: "Order",
      buttons: [{ kind: "url", label: "Track", target: "http://shop.example/{{1}}/x", sample: "" }],
    });
    const { said } = await create(workspace, draft);
    expect(said).toMatchObject({
      ok: false,
      issues: { name: expect.stringContaining("Lower-case"), "buttons.0.target": expect.stringContaining("https://") },
    });
    for (const unreadable of ["", "{", "[]", '{"name":1}']) {
      const { phoneNumberId } = workspace;
      const answer = await call(workspace, "createTemplate", { phoneNumberId, draft: unreadable });
      expect(answer.said).toMatchObject({ ok: false });
    }
    expect(await platformRequests(workspace.whatsappBusinessAccountId)).toEqual([]);
    expect(await storedOf(workspace)).toEqual([]);
  });

  test("of a name that a sync has just found gone or new still learns what is decided of it", async () => {
    const draft = draftOf();
    const workspace = await provisionWorkspace({ templates: [templateRecord(draft.name, [bodyOf("Old")])] });
    await listed(workspace, { json: { data: [] } });
    await sync(workspace);
    await create(workspace, draft);
    const [made] = await storedOf(workspace);
    expect(made?.status).toBe("PENDING");
    const atSeconds = Math.floor(Date.now() / 1_000) - 5;
    const submitted = { ...draft, id: made?.whatsapp_template_id };
    await deliver(templateWebhook(workspace, submitted, "APPROVED", { atSeconds }));
    expect(await storedOf(workspace)).toMatchObject([{ name: draft.name, status: "APPROVED" }]);
  });

  test("whose review WhatsApp reports before it has returned the submission keeps what was decided", async () => {
    const draft = draftOf();
    const workspace = await provisionWorkspace({ templates: [templateRecord(draft.name, [bodyOf("Old")])] });
    await listed(workspace, { json: { data: [] } });
    await sync(workspace);
    await listed(workspace, { delayMs: 2_000, json: { id: "880001", status: "PENDING", category: "UTILITY" } });
    const creating = create(workspace, draft);
    await expect.poll(() => platformRequests(workspace.whatsappBusinessAccountId, "message_templates")).toHaveLength(2);
    await deliver(templateWebhook(workspace, { ...draft, id: 880001 }));
    expect((await creating).said).toMatchObject({ ok: true });
    expect(await storedOf(workspace)).toMatchObject([{ status: "APPROVED", whatsapp_template_id: "880001" }]);
  });

  test("that WhatsApp refuses is not stored; its words stand at the field that they are about", async () => {
    const workspace = await provisionWorkspace();
    const taken = graphError(100, "Invalid parameter", {
      error_subcode: 2388024,
      error_user_title: "Content exists",
      error_user_msg: "There is already English content for this template.",
    });
    await listed(workspace, taken);
    const { said } = await create(workspace, draftOf());
    expect(said).toMatchObject({
      ok: false,
      message: expect.stringContaining("already English content"),
      issues: { name: expect.stringContaining("already English content") },
    });
    expect([await storedOf(workspace), await auditOf(workspace)]).toEqual([[], []]);
  });

  test("without a usable answer is not claimed to be created, nor not to be", async ({ workspace }) => {
    await listed(workspace, { hangUp: "middle" });
    const { said } = await create(workspace, draftOf());
    expect(said).toMatchObject({ ok: false, message: expect.stringMatching(/may have been created: sync/) });
    expect(await storedOf(workspace)).toEqual([]);
  });

  test("is refused to a member, and through a line of another workspace", async ({ workspace, other }) => {
    expect((await create(workspace, draftOf(), "member")).said).toMatchObject({
      ok: false,
      message: "Only owners and admins can do this. Ask an owner or admin: Olga Owner, Ada Admin.",
    });
    const { said } = await create(workspace, draftOf(), "owner", { phoneNumberId: other.phoneNumberId });
    expect(said).toMatchObject({ ok: false, issues: { phoneNumberId: expect.any(String) } });
    for (const { whatsappBusinessAccountId } of [workspace, other]) {
      expect(await platformRequests(whatsappBusinessAccountId)).toEqual([]);
    }
  });

  test("in test mode goes to the sandbox, which approves or rejects it after a moment by its webhook", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const neighbour = await provisionWorkspace({ mode: "test" });
    const draft = draftOf({ category: "MARKETING" });
    const rejected = { ...draftOf({ category: "MARKETING" }), name: `${draft.name}_rejected` };
    for (const one of [draft, rejected]) {
      const { said } = await create(workspace, one, "owner", { mode: "test" });
      expect(said).toMatchObject({ ok: true, value: { status: "PENDING" } });
    }
    await create(neighbour, { ...draft, category: "UTILITY" }, "owner", { mode: "test" });
    await expect
      .poll(async () => (await storedOf(workspace)).map(({ status }) => status), { timeout: 20_000 })
      .toEqual(["APPROVED", "REJECTED"]);
    const { said } = await call(workspace, "syncTemplates", { mode: "test" });
    expect(said).toEqual({ ok: true, value: { count: 2, queued: 0 } });
    const reasons = (await storedOf(workspace)).map(({ rejected_reason }) => rejected_reason);
    expect(reasons, "also after a sync").toEqual([null, "INVALID_FORMAT"]);
  });

  test("in test mode is reviewed by the next sync where the server was stopped before the review ended", async () => {
    const pending = FIXTURE_TEMPLATES.filter(({ name }) => name === "test_pending");
    const left = ["left", "left_rejected"].map((name) => templateRecord(name, [bodyOf("Bye")], { status: "PENDING" }));
    const workspace = await provisionWorkspace({ mode: "test", templates: [...left, ...pending] });
    const sync = () => call(workspace, "syncTemplates", { mode: "test" });
    const statuses = async () => (await storedOf(workspace)).map(({ status }) => status);
    expect((await sync()).said).toMatchObject({ ok: true });
    expect(await statuses(), "a moment after they were made").toEqual(["PENDING", "PENDING", "PENDING"]);
    await sql`
      update templates set created_at = now() - interval '3 minutes', synced_at = now() - interval '1 minute'
      where workspace_id = ${workspace.workspaceId}`;
    expect((await sync()).said).toMatchObject({ ok: true });
    expect(await statuses()).toEqual(["APPROVED", "REJECTED", "PENDING"]);
  });
});

describe("an edit", () => {
  const REJECTED = templateRecord("offer", [bodyOf("Buy {{1}} now, it is cheap.")], {
    status: "REJECTED",
    rejected_reason: "INVALID_FORMAT",
  });

  test("of a rejected template goes to WhatsApp under its id, and waits for its review under the same name", async () => {
    const workspace = await provisionWorkspace({ templates: [REJECTED] });
    const [before] = await storedOf(workspace);
    await scriptPlatform(`${before?.whatsapp_template_id}`, "", [{ json: { success: true } }]);
    const draft = draftOf({ body: "Hi {{1}}, your order is here." });
    const { said } = await create(workspace, draft, "owner", { edits: `${before?.id}` });
    expect(said).toEqual({ ok: true, value: { templateId: before?.id, status: "PENDING" } });
    const [seen] = await platformRequests(`${before?.whatsapp_template_id}`);
    expect([seen?.method, seen?.path.split("/").slice(2).join("/")]).toEqual(["POST", before?.whatsapp_template_id]);
    expect(JSON.parse(seen?.body ?? "{}")).toEqual({
      category: "UTILITY",
      components: [{ type: "BODY", text: "Hi {{1}}, your order is here.", example: { body_text: [["Ada"]] } }],
    });
    expect(await storedOf(workspace)).toMatchObject([{ id: before?.id, name: "offer", status: "PENDING" }]);
    const change = { before: { status: "REJECTED" }, after: { status: "PENDING" } };
    expect(await auditOf(workspace)).toMatchObject([change]);
  });

  test("that WhatsApp approves before it has returned the submission is approved", async () => {
    const rejected = templateRecord("offer", [bodyOf("Buy {{1}} now, it is cheap.")], { status: "REJECTED" });
    const workspace = await provisionWorkspace({ templates: [rejected] });
    const [before] = await storedOf(workspace);
    const whatsappId = `${before?.whatsapp_template_id}`;
    await scriptPlatform(whatsappId, "", [{ delayMs: 2_000, json: { success: true } }]);
    const editing = create(workspace, draftOf(), "owner", { edits: `${before?.id}` });
    await expect.poll(() => platformRequests(whatsappId)).toHaveLength(1);
    await deliver(templateWebhook(workspace, rejected));
    expect((await editing).said).toMatchObject({ ok: true });
    expect(await storedOf(workspace)).toMatchObject([{ name: "offer", status: "APPROVED" }]);
  });

  test("of an approved template or of another workspace's is refused, and nothing is sent", async () => {
    const workspace = await provisionWorkspace({ templates: [ORDER] });
    const other = await provisionWorkspace({ templates: [REJECTED] });
    const [approved] = await storedOf(workspace);
    const [foreign] = await storedOf(other);
    for (const edits of [approved?.id, foreign?.id, "tpl_none"]) {
      const { said } = await create(workspace, draftOf(), "owner", { edits: `${edits}` });
      expect(said).toMatchObject({ ok: false, issues: { name: expect.stringContaining("Only rejected and paused") } });
    }
    expect(await auditOf(workspace)).toEqual([]);
  });
});

test("a one-time code is posted in WhatsApp's form, and stored as it will be listed", async ({ workspace }) => {
  const code = { hasAdvice: true, minutes: "5", button: "copyCode", packageName: "", signatureHash: "" };
  const { said } = await create(workspace, { ...draftOf(), category: "AUTHENTICATION", body: "", samples: [], code });
  expect(said).toMatchObject({ ok: true });
  const [posted] = await platformRequests(workspace.whatsappBusinessAccountId, "message_templates");
  expect(JSON.parse(posted?.body ?? "{}")).toMatchObject({
    category: "AUTHENTICATION",
    components: [
      { type: "BODY", add_security_recommendation: true },
      { type: "FOOTER", code_expiration_minutes: 5 },
      { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
    ],
  });
  const [stored] = await storedOf(workspace);
  expect(JSON.stringify(stored?.components)).toContain("is your verification code. For your security");
});
