import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** What a write leaves in the audit log, or why it leaves nothing there. */
type Coverage = { words: string[] } | { none: string };

/** Every server action of the dashboard. A new one needs a line here. */
const ACTIONS: Record<string, Coverage> = {
  "app/dashboard/settings/api-keys/actions.ts createApiKey": { words: ["apiKey.created"] },
  "app/dashboard/settings/api-keys/actions.ts renameApiKey": { words: ["apiKey.renamed"] },
  "app/dashboard/settings/api-keys/actions.ts revokeApiKey": { words: ["apiKey.revoked"] },
  "app/dashboard/settings/api-keys/actions.ts rotateApiKey": { words: ["apiKey.rotated"] },
  "app/dashboard/settings/plan/actions.ts changeMonthlyLimit": { words: ["workspace.limitChanged"] },
  "app/dashboard/actions.ts signOut": { none: "writes a cookie only" },
  "app/dashboard/actions.ts switchMode": { none: "writes a cookie only" },
  "app/dashboard/actions.ts switchWorkspace": { none: "writes a cookie only" },
  "app/dashboard/phone-numbers/actions.ts addSandboxLine": { words: ["phoneNumber.connected"] },
  "app/dashboard/phone-numbers/actions.ts connectLine": { words: ["phoneNumber.connected"] },
  "app/dashboard/phone-numbers/actions.ts makeDefaultLine": { words: ["phoneNumber.changed"] },
  "app/dashboard/phone-numbers/actions.ts pauseLine": { words: ["phoneNumber.paused"] },
  "app/dashboard/phone-numbers/actions.ts removeLine": { words: ["phoneNumber.disconnected"] },
  "app/dashboard/phone-numbers/actions.ts renameLine": { words: ["phoneNumber.changed"] },
  "app/dashboard/phone-numbers/actions.ts replaceLineToken": { words: ["phoneNumber.tokenReplaced"] },
  "app/dashboard/phone-numbers/actions.ts resumeLine": { words: ["phoneNumber.resumed"] },
  "app/dashboard/phone-numbers/actions.ts runLineCheck": { none: "keeps the platform's own word" },
  "app/dashboard/phone-numbers/actions.ts subscribeLineApp": { words: ["phoneNumber.subscribed"] },
  "app/dashboard/webhooks/actions.ts runWebhookCheck": { none: "writes nothing" },
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
  "lib/phone-numbers/change-line.ts": {
    words: ["phoneNumber.changed", "phoneNumber.paused", "phoneNumber.resumed"],
  },
  "lib/phone-numbers/check-line.ts": PLATFORM,
  "lib/phone-numbers/connect-phone-number.ts": { words: ["phoneNumber.connected"] },
  "lib/phone-numbers/disconnect-line.ts": { words: ["phoneNumber.disconnected"] },
  "lib/phone-numbers/note-token.ts": PLATFORM,
  "lib/phone-numbers/record-events.ts": PLATFORM,
  "lib/phone-numbers/replace-token.ts": { words: ["phoneNumber.tokenReplaced"] },
  "lib/phone-numbers/reseal-tokens.ts": UPKEEP,
  "lib/plans/change-limit.ts": { words: ["workspace.limitChanged"] },
  "lib/phone-numbers/subscribe-line.ts": { words: ["phoneNumber.subscribed"] },
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
  "lib/webhooks/count-webhooks.ts": PLATFORM,
  "lib/webhooks/keep-unhandled.ts": PLATFORM,
  "lib/webhooks/note-webhook.ts": PLATFORM,
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
