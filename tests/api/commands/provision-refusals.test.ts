import { describe, expect, test } from "vitest";
import { createDatabase, everything } from "../../support/databases";
import { PROVISION, runProgram, serverEnvironment } from "../../support/programs";
import { line, newEmail, provisioning, template, workspace } from "../../support/provisioning";

const { fileOf, run, provision, expectRefusal } = provisioning();

async function refused(content: unknown, head: string, sentences: unknown[]) {
  const file = fileOf(content);
  await expectRefusal([file], [head.replace("FILE", file), ...sentences]);
}

describe("a file that cannot be used changes nothing", () => {
  test("one sentence for each fault, with its place, all at once", async () => {
    const good = workspace({ contacts: [{ ref: "ada", phone: "447700900123" }] });
    const bad = workspace({
      plan: "gold",
      phoneNumbers: [line({ token: "EAA", accessToken: "" }), line()],
      members: [{ email: "kim", role: "boss" }],
      contacts: [{ ref: "bob", phone: "0170 1234567" }],
    });
    await refused({ workspaces: [good, bad] }, "FILE cannot be used:", [
      '  workspaces[1].plan must be one of free, starter, growth, unlimited, not "gold".',
      '  workspaces[1].members[0].email must be an email address, not "kim".',
      '  workspaces[1].members[0].role must be one of owner, admin, member, not "boss".',
      "  workspaces[1].phoneNumbers[0].accessToken must not be empty.",
      "  workspaces[1].phoneNumbers[0].token is not a field of this file.",
      expect.stringMatching(/^ {2}workspaces\[1\]\.contacts\[0\]\.phone is not a phone number: .+\.$/),
      "  workspaces[1].phoneNumbers[1] has the same ref as workspaces[1].phoneNumbers[0].",
      "  workspaces[1].phoneNumbers[1] has the same whatsappPhoneNumberId and mode as workspaces[1].phoneNumbers[0].",
    ]);
  });

  test("limits of a key that say nothing or are wrong", async () => {
    const bad = workspace({
      apiKeys: [
        {
          ref: "a",
          mode: "live",
          limits: { permissions: [], ipRanges: ["203.0.113.0/24", "1.2.3.4/33"], monthlyCap: 0 },
        },
        { ref: "b", mode: "live", limits: { permissions: ["all"], lines: ["support"] }, expiresAt: "soon" },
      ],
    });
    await refused({ workspaces: [bad] }, "FILE cannot be used:", [
      "  workspaces[0].apiKeys[0].limits.permissions must not be empty.",
      '  workspaces[0].apiKeys[0].limits.ipRanges[1] is wrong: "1.2.3.4/33" must end with a slash and a number from 0 to 32, such as 203.0.113.0/24 or 2001:db8::/32.',
      "  workspaces[0].apiKeys[0].limits.monthlyCap must be at least 1.",
      '  workspaces[0].apiKeys[1].limits.permissions[0] must be one of send, status, templates, not "all".',
      "  workspaces[0].apiKeys[1].limits.lines is not a field of this file.",
      "  workspaces[0].apiKeys[1].expiresAt must be a time such as 2027-03-01T00:00:00Z.",
    ]);
  });

  test("what is no JSON, no UTF-8 or no object, without a word of its content", async () => {
    const latin1 = Buffer.from('{"workspaces":[{"name":"Z\xfc"}]}', "latin1");
    for (const [content, sentence] of [
      ['{"accessToken": EAAsecret }', /^\S+ is not JSON: Unexpected token 'E'\.$/],
      [latin1, /^\S+ is not UTF-8\.$/],
    ] as const) {
      await expectRefusal([fileOf(content)], [expect.stringMatching(sentence)]);
    }
    await refused("[]", "FILE cannot be used:", [expect.stringMatching(/^ {2}The file must be an object, not .+\.$/)]);
  });

  test("a file that is not there, a folder, and standard input without an end of its JSON", async () => {
    await expectRefusal(
      ["/nowhere/file.json"],
      [expect.stringMatching(/^\/nowhere\/file\.json cannot be read: .+\.$/)],
    );
    await expectRefusal(["/"], [expect.stringMatching(/^\/ cannot be read: .+\.$/)]);
    await expectRefusal(["-"], ["Standard input is not JSON: Unexpected end of JSON input."], {
      input: ['{"workspaces":'],
    });
  });
});

describe("a file that does not fit what is there changes nothing", () => {
  const HEAD = "The file does not fit what is there:";

  test("a key is limited to lines of its own mode, and expires in the future", async () => {
    const wanted = workspace({
      phoneNumbers: [line({ ref: "support" })],
      apiKeys: [
        { ref: "a", mode: "test", limits: { phoneNumbers: ["support", "gone"] } },
        { ref: "b", mode: "live", expiresAt: "2020-01-01T00:00:00Z" },
      ],
    });
    await refused({ workspaces: [wanted] }, HEAD, [
      '  workspaces[0].apiKeys[0].limits.phoneNumbers has "support", which is no test line.',
      '  workspaces[0].apiKeys[0].limits.phoneNumbers has "gone", which is no test line.',
      "  workspaces[0].apiKeys[1].expiresAt is in the past.",
    ]);
  });

  test("a line or a key never changes its mode; what came before the fault in the file is undone, too", async () => {
    const wanted = workspace({ phoneNumbers: [line()], apiKeys: [{ ref: "server", mode: "live" }] });
    await provision({ workspaces: [wanted] });
    const changed = {
      ...wanted,
      name: "New name",
      members: [{ email: newEmail(), role: "owner" }],
      templates: [template()],
      phoneNumbers: [line({ mode: "test" })],
      apiKeys: [{ ref: "server", mode: "test" }],
    };
    await refused({ workspaces: [workspace(), changed] }, HEAD, [
      '  workspaces[1].phoneNumbers[0] asks for mode test, but the line "support" is a live line and stays one.',
      '  workspaces[1].apiKeys[0] asks for mode test, but the key "server" is a live key and stays one.',
    ]);
  });

  test("a platform number or a phone that another ref has", async () => {
    const wanted = workspace({ phoneNumbers: [line()], contacts: [{ ref: "ada", phone: "447700900123" }] });
    await provision({ workspaces: [wanted] });
    const other = {
      ref: wanted.ref,
      name: wanted.name,
      phoneNumbers: [line({ ref: "sales" })],
      contacts: [{ ref: "bob", phone: "+44 7700 900123" }],
    };
    await refused({ workspaces: [other] }, HEAD, [
      '  workspaces[0].phoneNumbers[0] has whatsappPhoneNumberId 106500001, which the line "support" has already.',
      '  workspaces[0].contacts[0] has phone 447700900123, which the contact "ada" has already.',
    ]);
  });

  test("a workspace keeps its last owner, who may go once another is named", async () => {
    const [kim, lee] = [newEmail(), newEmail()];
    const as = (roles: Record<string, string>) =>
      Object.entries(roles).map(([email, role]) => ({ email, role, password: "a long sentence" }));
    const wanted = workspace({ members: as({ [kim]: "owner", [lee]: "member" }) });
    await provision({ workspaces: [wanted] });
    await refused({ workspaces: [{ ...wanted, members: as({ [kim]: "admin" }) }] }, HEAD, [
      `  workspaces[0].members: workspace "${wanted.ref}" would be left without an owner. Name a member with "role": "owner" there, or keep the last owner's role.`,
    ]);
    await provision({ workspaces: [{ ...wanted, members: as({ [kim]: "admin", [lee]: "owner" }) }] });
  });
});

describe("the command itself", () => {
  test("shows how it is used", async () => {
    const { exitCode, stdout, stderr } = await run(["one.json", "two.json"]);
    expect([exitCode, stdout, stderr.split("\n").slice(0, 3)]).toEqual([
      2,
      "",
      ['Unexpected argument "two.json".', "", "Usage: switchboard provision FILE.json   (- reads standard input)"],
    ]);
    expect((await run(["--help"])).exitCode).toBe(0);
  });

  test("says on an empty database and on an old schema what to do", async () => {
    const sentence = "The database's schema is older than this program. Run `npm run db:migrate` first.";
    for (const isMigrated of [false, true]) {
      const database = await createDatabase({ isMigrated });
      if (isMigrated) await database.sql`delete from drizzle.__drizzle_migrations`;
      const env = serverEnvironment({ DATABASE_URL: database.url });
      const finished = await runProgram([...PROVISION, fileOf({ workspaces: [workspace()] })], env);
      expect(finished).toMatchObject({ exitCode: 1, stdout: "", stderr: `${sentence}\nNothing was changed.\n` });
      expect(await everything(database.sql)).toEqual({});
      await database.drop();
    }
  });

  test("says that the database does not run, or has no such name", async () => {
    const missing = new URL(serverEnvironment().DATABASE_URL ?? "");
    missing.pathname = "/no_such_database";
    for (const [url, sentence] of [
      ["postgres://u:p@127.0.0.1:1/x", /^The database does not answer \(ECONNREFUSED\)\. .+/],
      [missing.href, /does not exist\n/],
    ] as const) {
      const env = serverEnvironment({ DATABASE_URL: url });
      const { exitCode, stdout, stderr, ms } = await runProgram([...PROVISION, fileOf({ workspaces: [] })], env);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(sentence);
      expect(ms).toBeLessThan(15_000);
    }
  });
});
