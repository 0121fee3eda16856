import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** What a write leaves in the audit log, or why it leaves nothing there. */
type Coverage = { words: string[] } | { none: string };

const OWN_ACCOUNT = { none: "a person's own account, which is in no workspace's log" };

/** Every server action of the dashboard. A new one needs a line here. */
const ACTIONS: Record<string, Coverage> = {
  "app/dashboard/account/actions.ts chooseAppearance": { none: "writes a cookie only" },
  "app/dashboard/account/actions.ts rename": OWN_ACCOUNT,
  "app/dashboard/account/actions.ts setPassword": OWN_ACCOUNT,
  "app/dashboard/account/actions.ts signOutEverywhere": OWN_ACCOUNT,
  "app/dashboard/settings/actions.ts removeWorkspace": { none: "the log goes with its workspace; a log line stays" },
  "app/dashboard/settings/actions.ts saveWorkspace": { words: ["workspace.changed"] },
  "app/dashboard/settings/members/actions.ts invite": { words: ["invitation.created"] },
  "app/dashboard/settings/members/actions.ts leave": { words: ["member.removed"] },
  "app/dashboard/settings/members/actions.ts remove": { words: ["member.removed"] },
  "app/dashboard/settings/members/actions.ts revoke": { words: ["invitation.revoked"] },
  "app/dashboard/settings/members/actions.ts setRole": { words: ["member.changed"] },
  "app/invite/[token]/actions.ts join": { words: ["member.added"] },
  "app/invite/[token]/actions.ts joinAsNewUser": { words: ["member.added"] },
  "app/set-up/actions.ts setUp": { words: ["workspace.created"] },
  "app/sign-up/actions.ts signUp": { words: ["workspace.created"] },
  "app/workspaces/new/actions.ts createOwnWorkspace": { words: ["workspace.created"] },
  "app/dashboard/settings/api-keys/actions.ts createApiKey": { words: ["apiKey.created"] },
  "app/dashboard/settings/api-keys/actions.ts renameApiKey": { words: ["apiKey.renamed"] },
  "app/dashboard/settings/api-keys/actions.ts revokeApiKey": { words: ["apiKey.revoked"] },
  "app/dashboard/settings/api-keys/actions.ts rotateApiKey": { words: ["apiKey.rotated"] },
  "app/dashboard/settings/plan/actions.ts changeMonthlyLimit": { words: ["workspace.limitChanged"] },
  "app/dashboard/actions.ts signOut": { none: "writes a cookie only" },
  "app/dashboard/actions.ts switchMode": { none: "writes a cookie only" },
  "app/dashboard/actions.ts switchWorkspace": { none: "writes a cookie only" },
  "app/dashboard/templates/actions.ts createTemplate": { words: ["template.submitted"] },
  "app/dashboard/templates/actions.ts syncTemplates": { none: "copies what the platform says" },
};

const TRAFFIC = { none: "traffic of the API, whose rows tell their own history" };
const PLATFORM = { none: "the platform's own word, not a person's change" };
const UPKEEP = { none: "upkeep that changes nothing that anybody set" };

/** Every file that writes to the database. A new one needs a line here. */
const WRITERS: Record<string, Coverage> = {
  "lib/api-keys/authenticate.ts": { none: "notes when a key was used last" },
  "lib/api-keys/create-key.ts": { words: ["apiKey.created"] },
  "lib/api-keys/rehash-secret.ts": UPKEEP,
  "lib/api-keys/rename-key.ts": { words: ["apiKey.renamed"] },
  "lib/api-keys/revoke-key.ts": { words: ["apiKey.revoked"] },
  "lib/api-keys/rotate-key.ts": { words: ["apiKey.rotated"] },
  "lib/audit/record-audit.ts": { none: "the audit log itself" },
  "lib/contacts/erase-phone.ts": { words: ["contact.erased"] },
  "lib/contacts/record-inbound.ts": PLATFORM,
  "lib/media/store-upload.ts": TRAFFIC,
  "lib/messages/claim-message.ts": TRAFFIC,
  "lib/messages/purge-contents.ts": { none: "carries out the retention that was set, which is audited" },
  "lib/messages/record-statuses.ts": PLATFORM,
  "lib/messages/settle-message.ts": TRAFFIC,
  "lib/messages/sweep-messages.ts": TRAFFIC,
  "lib/phone-numbers/record-events.ts": PLATFORM,
  "lib/phone-numbers/reseal-tokens.ts": UPKEEP,
  "lib/plans/change-limit.ts": { words: ["workspace.limitChanged"] },
  "lib/provision/provision-api-keys.ts": { words: ["apiKey.changed"] },
  "lib/provision/provision-contacts.ts": { words: ["contact.created", "contact.changed"] },
  "lib/provision/provision-members.ts": { words: ["member.added", "member.changed"] },
  "lib/provision/provision-phone-numbers.ts": { words: ["phoneNumber.connected", "phoneNumber.changed"] },
  "lib/provision/provision-templates.ts": { words: ["template.created", "template.changed"] },
  "lib/provision/provision-workspaces.ts": { words: ["workspace.created", "workspace.changed"] },
  "lib/rate-limit/postgres-window.ts": TRAFFIC,
  "lib/requests/purge-requests.ts": { none: "carries out the retention that was set, which is audited" },
  "lib/requests/record-requests.ts": TRAFFIC,
  "lib/sweeper/sweep.ts": UPKEEP,
  "lib/templates/create-template.ts": { words: ["template.submitted"] },
  "lib/templates/record-events.ts": PLATFORM,
  "lib/templates/store-templates.ts": PLATFORM,
  "lib/users/add-user.ts": { none: "its callers note the workspace or the membership that comes with it" },
  "lib/users/change-account.ts": OWN_ACCOUNT,
  "lib/webhooks/keep-unhandled.ts": PLATFORM,
  "lib/workspaces/change-role.ts": { words: ["member.changed"] },
  "lib/workspaces/change-workspace.ts": { words: ["workspace.changed"] },
  "lib/workspaces/create-workspace.ts": { words: ["workspace.created"] },
  "lib/workspaces/delete-workspace.ts": { none: "the log goes with its workspace; a log line stays" },
  "lib/workspaces/invite-member.ts": { words: ["invitation.created"] },
  "lib/workspaces/join-workspace.ts": { words: ["member.added"] },
  "lib/workspaces/record-visit.ts": { none: "notes when a member was seen last" },
  "lib/workspaces/remove-member.ts": { words: ["member.removed"] },
  "lib/workspaces/revoke-invitation.ts": { words: ["invitation.revoked"] },
};

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /^(app|lib)\/.*\.tsx?$/.test(file) && existsSync(file))
  .sort();
const source = (file: string) => readFileSync(file, "utf8");
const wordsOf = (coverage: Coverage) => ("words" in coverage ? coverage.words : []);

const WRITE =
  /\b(db|tx|transaction)\s*\.(insert|update|delete)\(|\binsert into \w|\bdelete from \w|\bupdate \w+( \w+)? set\b/;
const EXPORTED = /^export (?:default )?(?:async )?(?:const|let|function) (\w+)/gm;
const EXPORTED_LIST = /^export (?:\{|\*)/m;

describe("the dashboard's actions", () => {
  const actionFiles = files.filter((file) => /^\s*["']use server["']/m.test(source(file)));

  test("stand in actions.ts files, each exported by its own name", () => {
    expect(actionFiles.filter((file) => !/^app\/(.*\/)?actions\.ts$/.test(file))).toEqual([]);
    expect(actionFiles.filter((file) => EXPORTED_LIST.test(source(file)))).toEqual([]);
  });

  test("each has an audit word, or a reason why it writes nothing", () => {
    const actions = actionFiles.flatMap((file) =>
      [...source(file).matchAll(EXPORTED)].map(([, name]) => `${file} ${name}`),
    );
    expect(actions.sort()).toEqual(Object.keys(ACTIONS).sort());
  });

  test("each word is written by a use case", () => {
    const written = Object.values(WRITERS).flatMap(wordsOf);
    expect(
      Object.values(ACTIONS)
        .flatMap(wordsOf)
        .filter((word) => !written.includes(word)),
    ).toEqual([]);
  });
});

describe("what writes to the database", () => {
  const writers = files.filter((file) => WRITE.test(source(file).replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "")));

  test("has an audit word, or a reason why it has none", () => {
    expect(writers).toEqual(Object.keys(WRITERS).sort());
  });

  test.each(Object.entries(WRITERS).flatMap(([file, coverage]) => wordsOf(coverage).map((word) => [file, word])))(
    "%s writes %s in its own transaction",
    (file, word) => {
      expect(source(file ?? "")).toMatch(/\brecordAudit\(\s*(run\.)?tx,/);
      expect(source(file ?? "")).toContain(`"${word}"`);
    },
  );

  test("uses every word of the log, and no other", () => {
    const [, union = ""] = /AuditAction =([^;]+);/.exec(source("lib/audit/record-audit.ts")) ?? [];
    const known = [...union.matchAll(/"([\w.]+)"/g)].map(([, word]) => word);
    const used = new Set(Object.values(WRITERS).flatMap(wordsOf));
    expect([...used].sort()).toEqual(known.sort());
  });
});
