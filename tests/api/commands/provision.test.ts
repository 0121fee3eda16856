import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { decrypt } from "@/lib/core/crypto";
import { everything } from "../../support/databases";
import { testServers } from "../../support/environment";
import { runProgram, serverEnvironment } from "../../support/programs";
import { line, newEmail, provisioned, provisioning, template, workspace } from "../../support/provisioning";

const { fileOf, run, provision, sql, databaseUrl } = provisioning();

const EXAMPLE = {
  ref: "acme",
  name: "Acme",
  plan: "free",
  timeZone: "Europe/Berlin",
  members: [{ email: "kim@acme.test", password: "a long sentence", name: "Kim", role: "owner" }],
  phoneNumbers: [{ ...line({ accessToken: "EAA…" }), isActive: true, isDefault: true }],
  templates: [template({}, { components: [] })],
  contacts: [{ ref: "ada", phone: "447700900123", name: "Ada" }],
  apiKeys: [{ ref: "server", label: "server", mode: "live" }],
};

describe("a good file", () => {
  test("as the documentation shows it: ids and secrets once, the same ids and null later, and not one row changed", async () => {
    const [first, ...others] = await provision({ workspaces: [EXAMPLE] });
    expect(others).toEqual([]);
    expect(first).toEqual({
      ref: "acme",
      id: expect.stringMatching(/^ws_[0-9a-z]{20,}$/),
      phoneNumbers: { support: expect.stringMatching(/^pn_/) },
      contacts: { ada: expect.stringMatching(/^ct_/) },
      templates: { "order_ready/en_US": expect.stringMatching(/^tpl_/) },
      apiKeys: {
        server: {
          apiKey: expect.stringMatching(/^pk_live_\w{20,}$/),
          apiSecret: expect.stringMatching(/^sk_live_\w{40,}$/),
        },
      },
    });
    const before = await everything(sql());
    const [second] = await provision({ workspaces: [EXAMPLE] });
    expect(second).toEqual({ ...first, apiKeys: { server: { ...first?.apiKeys.server, apiSecret: null } } });
    expect(await everything(sql())).toEqual(before);
  });

  test("the JSON of docs/provisioning.md is taken as it stands", async () => {
    const [block = ""] = /(?<=```json\n)[\s\S]*?(?=```)/.exec(readFileSync("docs/provisioning.md", "utf8")) ?? [];
    const [read] = provisioned(await run([fileOf(block.replace('"acme"', '"from-the-docs"'))]));
    expect(read?.ref).toBe("from-the-docs");
  });

  test("on standard input, in parts that take their time, with a byte order mark", async () => {
    const wanted = workspace({ contacts: [{ ref: "zoë", phone: "+44 7700 900-124", name: "Zoë 🙂" }] });
    const text = `\uFEFF${JSON.stringify({ workspaces: [wanted] })}`;
    const input = async function* () {
      yield text.slice(0, 10);
      await sleep(700);
      yield text.slice(10);
    };
    const [read] = provisioned(await run(["-"], { input: input() }));
    expect(Object.keys(read?.contacts ?? {})).toEqual(["zoë"]);
    const [row] = await sql()`select name, phone from contacts where id = ${read?.contacts.zoë ?? ""}`;
    expect(row).toEqual({ name: "Zoë 🙂", phone: "447700900124" });
  });

  test("through npm itself, silently", async () => {
    const args = ["run", "--silent", "provision", "--", fileOf({ workspaces: [workspace()] })];
    const { exitCode, stdout } = await runProgram([npm(), ...args], serverEnvironment({ DATABASE_URL: databaseUrl() }));
    expect([exitCode, JSON.parse(stdout).workspaces.length]).toEqual([0, 1]);
  });

  test("two runs at once make everything once", async () => {
    const wanted = { workspaces: [workspace({ phoneNumbers: [line()], apiKeys: [{ ref: "k", mode: "live" }] })] };
    const [[one], [two]] = await Promise.all([provision(wanted), provision(wanted)]);
    expect([one?.id, one?.phoneNumbers, one?.apiKeys.k?.apiKey]).toEqual([
      two?.id,
      two?.phoneNumbers,
      two?.apiKeys.k?.apiKey,
    ]);
    expect([one, two].filter((run) => run?.apiKeys.k?.apiSecret !== null)).toHaveLength(1);
  });
});

describe("running it again updates", () => {
  test("plan, limit, name and time zone; what the file leaves out stays, and null lifts the limit", async () => {
    const wanted = workspace({ plan: "free", messageLimit: 500, timeZone: "Europe/Berlin" });
    const settings = async (change: object) => {
      const [{ id } = { id: "" }] = await provision({
        workspaces: [{ ref: wanted.ref, name: wanted.name, ...change }],
      });
      const [row] = await sql()`select name, plan, message_limit, time_zone from workspaces where id = ${id}`;
      return Object.values(row ?? {});
    };
    expect(await settings(wanted)).toEqual(["Acme", "free", 500, "Europe/Berlin"]);
    expect(await settings({ name: "Acme Ltd" })).toEqual(["Acme Ltd", "free", 500, "Europe/Berlin"]);
    expect(await settings({ plan: "growth", messageLimit: null })).toEqual(["Acme", "growth", null, "Europe/Berlin"]);
    expect(await settings({ timeZone: "UTC", messageLimit: 0 })).toEqual(["Acme", "growth", 0, "UTC"]);
  });

  test("the limits and the expiry of a key: those of the file in place of all before, null for none, left out as they are", async () => {
    const wanted = workspace({ phoneNumbers: [line({ ref: "support" })] });
    const limits = {
      permissions: ["status", "send"],
      phoneNumbers: ["support"],
      templates: ["order_ready"],
      ipRanges: ["203.0.113.7", "2001:DB8::/32"],
      monthlyCap: 5_000,
    };
    const key = async (change: object) => {
      const [{ id, phoneNumbers: lines } = { id: "", phoneNumbers: {} as Record<string, string> }] = await provision({
        workspaces: [{ ...wanted, apiKeys: [{ ref: "k", mode: "live", ...change }] }],
      });
      const [row] = await sql()`select limits, expires_at from api_keys where workspace_id = ${id}`;
      const audited = await sql()`
        select action, before, after from audit_log where workspace_id = ${id} and target_kind = 'apiKey' order by at, id`;
      return {
        limits: row?.limits,
        expires_at: row?.expires_at,
        line: lines.support,
        audited: audited.map(({ action }) => action),
      };
    };
    const made = await key({ limits, expiresAt: "2090-03-01T00:00:00+01:00" });
    const stored = {
      permissions: ["send", "status"],
      phoneNumberIds: [made.line],
      templateNames: ["order_ready"],
      ipRanges: ["203.0.113.7/32", "2001:db8::/32"],
      monthlyCap: 5_000,
    };
    expect(made).toMatchObject({ limits: stored, audited: ["apiKey.created"] });
    expect(await key({})).toEqual(made);
    expect(await key({ limits: { permissions: ["send", "status", "templates"], monthlyCap: 1 } })).toMatchObject({
      limits: { monthlyCap: 1 },
      expires_at: made.expires_at,
      audited: ["apiKey.created", "apiKey.limitsChanged"],
    });
    expect(await key({ limits: null, expiresAt: null })).toMatchObject({ limits: null, expires_at: null });
  });

  test("a new workspace without a plan gets DEFAULT_PLAN", async () => {
    const wanted = workspace();
    provisioned(await run([fileOf({ workspaces: [wanted] })], { env: { DEFAULT_PLAN: "starter" } }));
    expect(await sql()`select plan from workspaces where ref = ${wanted.ref}`).toEqual([{ plan: "starter" }]);
  });

  test("roles and passwords, which end the member's sessions; a run without a change does not", async () => {
    const person = {
      email: newEmail(),
      password: "a long sentence",
      name: "Pat",
      role: "member",
    };
    const wanted = workspace();
    const memberAfter = async (change: object) => {
      await sql()`
        insert into sessions (id, user_id, expires_at, device, masked_address)
        select ${`ses_${crypto.randomUUID()}`}, id, now() + interval '1 hour', 'Firefox on Linux', '203.0.113.x'
        from users where email = ${person.email}`;
      await provision({ workspaces: [{ ...wanted, members: [{ ...person, ...change }] }] });
      const [row] = await sql()`
        select role::text, password_hash as hash,
          (select count(*)::int from sessions where user_id = users.id) as sessions
        from users join members on user_id = users.id where email = ${person.email}`;
      return row ?? {};
    };
    const first = await memberAfter({});
    expect([first.role, first.sessions]).toEqual(["member", 0]);
    expect(await memberAfter({})).toEqual({ ...first, sessions: 1 });
    expect(await memberAfter({ password: undefined })).toEqual({ ...first, sessions: 2 });
    expect(await memberAfter({ role: "admin" })).toEqual({ ...first, role: "admin", sessions: 0 });
    const changed = await memberAfter({ role: "admin", password: "another sentence" });
    expect([changed.role, changed.sessions]).toEqual(["admin", 0]);
    expect(changed.hash).not.toBe(first.hash);
  });

  test("lines: every field, the default of its mode, and the token only where it is another", async () => {
    const wanted = workspace();
    const lines = async (...phoneNumbers: object[]) => {
      await provision({ workspaces: [{ ...wanted, phoneNumbers }] });
      return sql()`
        select phone_numbers.ref, label, is_active as active, is_default as default, access_token as token
        from phone_numbers join workspaces on workspaces.id = workspace_id where workspaces.ref = ${wanted.ref}
        order by phone_numbers.ref`;
    };
    const second = line({ ref: "zweite", whatsappPhoneNumberId: "106500002" });
    const [one] = await lines(line({ isDefault: true }), second);
    expect([one?.active, one?.default]).toEqual([true, true]);
    const [former, newer] = await lines({ ...second, label: "Neu", isActive: false, isDefault: true });
    expect([former?.default, newer?.default, newer?.label, newer?.active]).toEqual([false, true, "Neu", false]);
    expect(former?.token).toBe(one?.token);
    const [sealedAgain, kept] = await lines(line({ accessToken: "EAAother" }), second);
    expect(sealedAgain?.token).not.toBe(one?.token);
    expect([kept?.active, kept?.token]).toEqual([false, newer?.token]);
  });

  test("templates by account, name and language; contacts by ref, and one that a send made by its phone", async () => {
    const wanted = workspace({
      templates: [template({}, { parameter_format: "NAMED", quality_score: "GREEN", rejected_reason: "NONE" })],
      contacts: [{ ref: "ada", phone: "447700900123", name: "Ada" }],
    });
    const [first] = await provision({ workspaces: [wanted] });
    await sql()`
      insert into contacts (workspace_id, id, phone) values (${first?.id ?? ""}, 'ct_made_by_a_send', '447700900125')`;
    const [second] = await provision({
      workspaces: [
        {
          ...wanted,
          templates: [template({}, { status: "PAUSED", id: 5900010009 }), template({ mode: "test" })],
          contacts: [
            { ref: "ada", phone: "447700900129" },
            { ref: "bob", phone: "447700900125", name: "Bob" },
          ],
        },
      ],
    });
    expect(second?.templates).toEqual({
      ...first?.templates,
      "order_ready/en_US/test/102200001": expect.stringMatching(/^tpl_/),
    });
    expect(second?.contacts).toEqual({ ...first?.contacts, bob: "ct_made_by_a_send" });
    expect(await sql()`select name, phone from contacts where id = ${first?.contacts.ada ?? ""}`).toEqual([
      { name: "Ada", phone: "447700900129" },
    ]);
    const [row] = await sql()`
      select status, whatsapp_template_id as id, parameter_format, quality_score, rejected_reason
      from templates where id = ${first?.templates["order_ready/en_US"] ?? ""}`;
    // What the second file leaves out stays.
    const kept = { parameter_format: "NAMED", quality_score: "GREEN", rejected_reason: null };
    expect(row).toEqual({ status: "PAUSED", id: "5900010009", ...kept });
  });
});

describe("secrets", () => {
  test("a token is sealed, and opens only with the row that it belongs to; keys and passwords are hashes", async () => {
    const { ENCRYPTION_KEY = "" } = testServers().environment;
    const password = "correct horse battery";
    const wanted = workspace({
      phoneNumbers: [line({ accessToken: "EAAverysecret" })],
      members: [{ email: newEmail(), password, role: "owner" }],
      apiKeys: [{ ref: "server", mode: "live" }],
    });
    const [made] = await provision({ workspaces: [wanted] });
    const [row] = await sql()<{ id: string; token: string }[]>`
      select id, access_token as token from phone_numbers where workspace_id = ${made?.id ?? ""}`;
    const open = (place: string) => decrypt(row?.token ?? "", place, [ENCRYPTION_KEY]);
    expect(open(`${made?.id}/${row?.id}`)).toBe("EAAverysecret");
    expect(() => open(`${made?.id}/pn_other`)).toThrow();
    expect(() => open(`ws_other/${row?.id}`)).toThrow();
    expect(() => decrypt(row?.token ?? "", `${made?.id}/${row?.id}`, ["x".repeat(43)])).toThrow();
    const all = JSON.stringify(await everything(sql()));
    for (const secret of ["EAAverysecret", password, made?.apiKeys.server?.apiSecret ?? "-"]) {
      expect(all).not.toContain(secret);
    }
    expect(all).toContain(made?.apiKeys.server?.apiKey);
  });
});

/** What npm runs by: itself where it runs the tests, else the one beside Node. */
const npm = (): string =>
  process.env.npm_execpath ?? path.join(path.dirname(process.execPath), "../../lib/node_modules/npm/bin/npm-cli.js");
