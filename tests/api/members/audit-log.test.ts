import { describe, expect, test, vi } from "vitest";
import { line, newEmail, provisioned, provisioning, template, workspace } from "../../support/provisioning";

// Each command is a program of its own, which takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const { fileOf, run, provision, sql } = provisioning();

/** Rows of one transaction have one instant, so the word comes next. */
const entriesOf = async (workspaceId: string) =>
  sql()`
    select action, target_kind as kind, target_id as id, before, after, actor_kind || ' ' || actor_id as actor
    from audit_log where workspace_id = ${workspaceId} order by at, action, before is not null, before::text`;
const actionsOf = async (workspaceId: string) => (await entriesOf(workspaceId)).map(({ action }) => action);

const everyKind = () => ({
  ...workspace({ plan: "free", timeZone: "Europe/Berlin" }),
  members: [{ email: newEmail(), password: "a long sentence", name: "Kim", role: "owner" }],
  phoneNumbers: [
    line({ isDefault: true, accessToken: "EAAfirst" }),
    line({ ref: "second", whatsappPhoneNumberId: "106500009" }),
  ],
  templates: [template()],
  contacts: [{ ref: "ada", phone: "447700900123", name: "Ada" }],
  apiKeys: [{ ref: "server", label: "server", mode: "live" }],
});

describe("the provisioner", () => {
  test("leaves one row for each thing that it makes, and none for what is as the file says", async () => {
    const wanted = everyKind();
    const [made] = await provision({ workspaces: [wanted] });
    const id = made?.id ?? "";
    const entries = await entriesOf(id);
    expect(entries.map(({ action }) => action)).toEqual([
      "apiKey.created",
      "contact.created",
      "member.added",
      "phoneNumber.connected",
      "phoneNumber.connected",
      "template.created",
      "workspace.created",
    ]);
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set(["provisioner provision"]));
    expect(entries.every(({ before }) => before === null)).toBe(true);
    const of = (action: string) => entries.find((entry) => entry.action === action);
    expect(of("workspace.created")).toMatchObject({ id, kind: "workspace", after: { name: "Acme", plan: "free" } });
    expect(of("member.added")).toMatchObject({
      id: expect.stringMatching(/^usr_/),
      after: { email: wanted.members[0]?.email, name: "Kim", role: "owner", passwordHash: "hidden" },
    });
    expect(of("contact.created")).toMatchObject({
      id: made?.contacts.ada,
      after: { ref: "hidden", phone: "hidden", name: "hidden" },
    });
    expect(of("apiKey.created")?.after).toEqual({
      ref: "server",
      label: "server",
      mode: "live",
      apiKey: made?.apiKeys.server?.apiKey,
    });
    await provision({ workspaces: [wanted] });
    expect(await actionsOf(id)).toHaveLength(entries.length);
  });

  test("names the fields that changed, as they were and as they are, and says of a secret only that it changed", async () => {
    const wanted = everyKind();
    // Kim can be an admin from then on, because another owner is left.
    const owner = { email: newEmail(), password: "a long sentence", name: "Rosa", role: "owner" };
    const [made] = await provision({ workspaces: [{ ...wanted, members: [...wanted.members, owner] }] });
    const id = made?.id ?? "";
    const count = (await entriesOf(id)).length;
    await provision({
      workspaces: [
        {
          ...wanted,
          name: "Acme Ltd",
          messageLimit: 500,
          retentionDays: 30,
          members: [{ ...wanted.members[0], password: "another sentence", role: "admin" }],
          phoneNumbers: [
            line({ accessToken: "EAAsecond" }),
            line({ ref: "second", whatsappPhoneNumberId: "106500009", isDefault: true }),
          ],
          templates: [template({}, { status: "PAUSED" })],
          contacts: [{ ref: "ada", phone: "447700900124", name: "Ada" }],
          apiKeys: [{ ref: "server", label: "renamed", mode: "live" }],
        },
      ],
    });
    const changes = (await entriesOf(id)).slice(count).map(({ action, before, after }) => [action, before, after]);
    const hidden = "hidden";
    expect(changes).toEqual([
      ["apiKey.changed", { label: "server" }, { label: "renamed" }],
      ["contact.changed", { phone: hidden }, { phone: hidden }],
      ["member.changed", { passwordHash: hidden, role: "owner" }, { passwordHash: hidden, role: "admin" }],
      ["phoneNumber.changed", { accessToken: hidden }, { accessToken: hidden }],
      ["phoneNumber.changed", { isDefault: false }, { isDefault: true }],
      ["phoneNumber.changed", { isDefault: true }, { isDefault: false }],
      ["template.changed", { status: "APPROVED" }, { status: "PAUSED" }],
      [
        "workspace.changed",
        { name: "Acme", messageLimit: null, retentionDays: null },
        { name: "Acme Ltd", messageLimit: 500, retentionDays: 30 },
      ],
    ]);
    const all = JSON.stringify(await sql()`select * from audit_log`);
    for (const secret of ["EAAfirst", "EAAsecond", "another sentence", "447700900124", "argon2", "sk_live"]) {
      expect(all).not.toContain(secret);
    }
  });

  test("leaves nothing of a run that fails, neither rows nor their log", async () => {
    const wanted = everyKind();
    const [made] = await provision({ workspaces: [wanted] });
    const before = await actionsOf(made?.id ?? "");
    const file = fileOf({ workspaces: [{ ...wanted, name: "Lost", apiKeys: [{ ref: "server", mode: "test" }] }] });
    expect((await run([file])).exitCode).toBe(1);
    expect(await actionsOf(made?.id ?? "")).toEqual(before);
  });

  test("distinguishes a person who joins a second workspace from one whose role changes", async () => {
    const person = { email: newEmail(), password: "a long sentence", name: "Pat", role: "member" };
    await provision({ workspaces: [{ ...workspace(), members: [person] }] });
    const [second] = provisioned(await run([fileOf({ workspaces: [{ ...workspace(), members: [person] }] })]));
    const [joined] = await entriesOf(second?.id ?? "");
    expect(joined).toMatchObject({ action: "member.added", after: { email: person.email, role: "member" } });
    expect(joined?.after).not.toHaveProperty("passwordHash");
  });
});
