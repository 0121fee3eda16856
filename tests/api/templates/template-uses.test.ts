import { expect, test } from "vitest";
import { actingAs, doneBy } from "../../support/line-actions";
import { sql } from "../../support/rows";
import { expectSent, PHONE } from "../../support/sends";
import { readAs } from "../../support/session";
import { sweep } from "../../support/sweep";
import { ORDER } from "../../support/template-records";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const OTHER_ACCOUNT = "other_account";

/** Two business accounts that each have order_ready in en_US. */
const twoAccounts = async () => {
  const workspace = await provisionWorkspace({
    lines: [{ ref: "used" }, { ref: "idle", whatsappBusinessAccountId: `${Date.now()}` }],
    templates: [ORDER],
  });
  await sql`
      insert into templates (workspace_id, id, mode, whatsapp_business_account_id, whatsapp_template_id, name, language,
        category, status, components)
      select workspace_id, ${OTHER_ACCOUNT}, mode, ${workspace.lines.idle?.whatsappBusinessAccountId ?? ""}, '1', name,
        language, category, status, components
      from templates where workspace_id = ${workspace.workspaceId}`;
  return workspace;
};

const send = async (workspace: TestWorkspace, ref: string, more: object = {}) => {
  const phoneNumberId = workspace.lines[ref]?.id;
  const values = { templateName: "order_ready", templateVariables: { "1": "Ana", "2": "A-42" } };
  const sent = await workspace.send({ type: "template", phone: PHONE, phoneNumberId, ...values, ...more });
  expectSent(sent);
  return sent.body.data.id;
};

const page = async ({ member }: TestWorkspace, path: string) => {
  const { status, text } = await readAs(member, path);
  expect(status).toBe(200);
  return text.replaceAll("<!-- -->", "").replaceAll("&amp;", "&");
};

/** What is said of the sends of a template, and where its link leads. */
const sendsOf = async (workspace: TestWorkspace, templateId: string) => {
  const [, said = ""] = (await page(workspace, `/dashboard/templates/${templateId}`)).split("Sends in 30 days</dt>");
  const [value = ""] = said.split("</dd>");
  const link = /href="([^"]+)"[^>]*>([\d,]+) in all/.exec(value);
  return { count: link?.[2] ?? (value.includes("None") ? "None" : value), href: link?.[1] };
};

test("a template's sends are those of its own business account, of lines that are gone, too", async () => {
  const workspace = await twoAccounts();
  const used = workspace.templates["order_ready/en_US"] ?? "";
  await send(workspace, "used");
  await send(workspace, "used");
  await sweep();
  expect((await sendsOf(workspace, used)).count).toBe("2");
  expect((await sendsOf(workspace, OTHER_ACCOUNT)).count).toBe("None");
  const [table = ""] = (await page(workspace, "/dashboard/templates")).split("</tbody>");
  const rows = table.split("<tr").slice(2);
  const lastUses = rows.map((row) => [row.includes(OTHER_ACCOUNT), row.includes("Not in 30 days")]);
  expect(lastUses.toSorted()).toEqual([
    [false, false],
    [true, true],
  ]);

  await send(workspace, "idle");
  await sweep();
  const act = await actingAs(workspace, workspace.owner);
  doneBy(await act("removeLine", { phoneNumberId: workspace.lines.used?.id ?? "" }));
  expect((await sendsOf(workspace, used)).count).toBe("2");
  expect((await sendsOf(workspace, OTHER_ACCOUNT)).count).toBe("1");
});

test("the number of a template's sends leads to as many messages, by the days of the workspace's clock", async () => {
  const workspace = await provisionWorkspace({ templates: [ORDER] });
  const { workspaceId } = workspace;
  await sql`update workspaces set time_zone = 'Asia/Kolkata' where id = ${workspaceId}`;
  // A minute before and after the first midnight of the 30 days there, and long ago.
  for (const [days, minutes] of [
    [29, -1],
    [29, 1],
    [40, 0],
    [0, 0],
  ]) {
    const id = await send(workspace, "main");
    await sql`
        update messages set created_at = case when ${days ?? 0}::int = 0 then created_at
          else (date_trunc('day', now() at time zone 'Asia/Kolkata') - make_interval(days => ${days ?? 0}, mins => ${-(minutes ?? 0)}))
            at time zone 'Asia/Kolkata' end
        where workspace_id = ${workspaceId} and id = ${id}`;
  }
  await sql`delete from messages_by_quarter where workspace_id = ${workspaceId}`;
  await sweep();
  const { count, href = "" } = await sendsOf(workspace, workspace.templates["order_ready/en_US"] ?? "");
  const listed = new Set((await page(workspace, href)).match(/\/dashboard\/messages\/msg_\w+/g));
  expect([count, listed.size]).toEqual(["2", 2]);
});
