import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exportsOf, writesToDatabase } from "../support/audit-scan";

/** What a write leaves in the audit log, or why it leaves nothing there. */
type Coverage = { words: string[] } | { none: string };

const OWN_ACCOUNT = { none: "a person's own account, which is in no workspace's log" };

/** Every server action of the dashboard. A new one needs a line here. */
const ACTIONS: Record<string, Coverage> = {
  "app/dashboard/account/actions.ts chooseAppearance": { none: "writes a cookie only" },
  "app/dashboard/account/actions.ts endSession": OWN_ACCOUNT,
  "app/dashboard/account/actions.ts rename": OWN_ACCOUNT,
  "app/dashboard/account/actions.ts setPassword": OWN_ACCOUNT,
  "app/dashboard/account/actions.ts signOutEverywhere": OWN_ACCOUNT,
  "app/dashboard/settings/actions.ts removeWorkspace": { none: "the log goes with its workspace; a log line stays" },
  "app/dashboard/settings/actions.ts saveWorkspace": { words: ["workspace.changed"] },
  "app/dashboard/settings/members/actions.ts createResetLink": { words: ["member.resetLinkCreated"] },
  "app/dashboard/settings/members/actions.ts invite": { words: ["invitation.created"] },
  "app/dashboard/settings/members/actions.ts leave": { words: ["member.removed"] },
  "app/dashboard/settings/members/actions.ts remove": { words: ["member.removed"] },
  "app/dashboard/settings/members/actions.ts revoke": { words: ["invitation.revoked"] },
  "app/dashboard/settings/members/actions.ts setRole": { words: ["member.changed"] },
  "app/invite/[token]/actions.ts join": { words: ["member.added"] },
  "app/invite/[token]/actions.ts joinAsNewUser": { words: ["member.added"] },
  "app/reset-password/actions.ts readResetLink": { none: "writes nothing" },
  "app/reset-password/actions.ts setNewPassword": { words: ["member.passwordReset"] },
  "app/set-up/actions.ts setUp": { words: ["workspace.created"] },
  "app/sign-up/actions.ts signUp": { words: ["workspace.created"] },
  "app/workspaces/new/actions.ts createOwnWorkspace": { words: ["workspace.created"] },
  "app/dashboard/settings/api-keys/actions.ts createApiKey": { words: ["apiKey.created"] },
  "app/dashboard/settings/api-keys/actions.ts renameApiKey": { words: ["apiKey.renamed"] },
  "app/dashboard/settings/api-keys/actions.ts revokeApiKey": { words: ["apiKey.revoked"] },
  "app/dashboard/settings/api-keys/actions.ts rotateApiKey": { words: ["apiKey.rotated"] },
  "app/dashboard/settings/webhooks/actions.ts change": { words: ["webhookEndpoint.changed"] },
  "app/dashboard/settings/webhooks/actions.ts create": { words: ["webhookEndpoint.created"] },
  "app/dashboard/settings/webhooks/actions.ts pause": { words: ["webhookEndpoint.paused"] },
  "app/dashboard/settings/webhooks/actions.ts remove": { words: ["webhookEndpoint.deleted"] },
  "app/dashboard/settings/webhooks/actions.ts replay": { words: ["webhookEndpoint.replayed"] },
  "app/dashboard/settings/webhooks/actions.ts replayRange": { words: ["webhookEndpoint.replayed"] },
  "app/dashboard/settings/webhooks/actions.ts resume": { words: ["webhookEndpoint.resumed"] },
  "app/dashboard/settings/webhooks/actions.ts rotate": { words: ["webhookEndpoint.secretRotated"] },
  "app/dashboard/settings/webhooks/actions.ts sendTest": { none: "sends an event that says nothing" },
  "app/dashboard/settings/plan/actions.ts changeMonthlyLimit": { words: ["workspace.limitChanged"] },
  "app/dashboard/actions.ts signOut": OWN_ACCOUNT,
  "app/dashboard/actions.ts switchWorkspace": { none: "writes a cookie only" },
  "app/dashboard/contacts/actions.ts changeName": { words: ["contact.renamed"] },
  "app/dashboard/contacts/actions.ts createContact": { words: ["contact.added"] },
  "app/dashboard/contacts/actions.ts eraseContact": { words: ["contact.erased"] },
  "app/dashboard/contacts/actions.ts importBatch": { words: ["contact.imported"] },
  "app/dashboard/messages/[messageId]/actions.ts revealBody": { words: ["message.revealed"] },
  "app/dashboard/messages/[messageId]/actions.ts revealRaw": { words: ["message.revealed"] },
  "app/dashboard/phone-numbers/actions.ts addSandboxLine": { words: ["phoneNumber.connected"] },
  "app/dashboard/phone-numbers/actions.ts connectLine": { words: ["phoneNumber.connected"] },
  "app/dashboard/phone-numbers/actions.ts makeDefaultLine": { words: ["phoneNumber.changed"] },
  "app/dashboard/phone-numbers/actions.ts pauseLine": { words: ["phoneNumber.paused"] },
  "app/dashboard/phone-numbers/actions.ts removeLine": { words: ["phoneNumber.disconnected"] },
  "app/dashboard/phone-numbers/actions.ts renameLine": { words: ["phoneNumber.changed"] },
  "app/dashboard/phone-numbers/actions.ts replaceLineToken": { words: ["phoneNumber.tokenReplaced"] },
  "app/dashboard/phone-numbers/actions.ts resumeLine": { words: ["phoneNumber.resumed"] },
  "app/dashboard/phone-numbers/actions.ts runLineCheck": { none: "keeps WhatsApp's own word" },
  "app/dashboard/phone-numbers/actions.ts subscribeLineApp": { words: ["phoneNumber.subscribed"] },
  "app/dashboard/webhooks/actions.ts runWebhookCheck": { none: "writes nothing" },
  "app/docs/actions.ts startTrial": { words: ["apiKey.created", "apiKey.rotated"] },
  "app/dashboard/templates/actions.ts createTemplate": { words: ["template.submitted"] },
  "app/dashboard/templates/actions.ts syncTemplates": { none: "copies what WhatsApp says" },
};

const TRAFFIC = { none: "traffic of the API, whose rows tell their own history" };
const PLATFORM = { none: "WhatsApp's own word, not a person's change" };
const UPKEEP = { none: "upkeep that changes nothing that anybody set" };

/** Every file that writes to the database. A new one needs a line here. */
const WRITERS: Record<string, Coverage> = {
  "lib/api-keys/authenticate.ts": { none: "notes when a key was used last, and rehashes its secret" },
  "lib/api-keys/change-key.ts": { words: ["apiKey.created", "apiKey.renamed", "apiKey.rotated", "apiKey.revoked"] },
  "lib/workspaces/record-audit.ts": { none: "the audit log itself" },
  "lib/contacts/erase-phone.ts": { words: ["contact.erased"] },
  "lib/contacts/import-contacts.ts": { words: ["contact.imported"] },
  "lib/contacts/record-inbound.ts": PLATFORM,
  "lib/contacts/save-contact.ts": { words: ["contact.added", "contact.renamed"] },
  "lib/contacts/store-people.ts": { words: ["contact.merged"] },
  "lib/outgoing/claim-deliveries.ts": TRAFFIC,
  "lib/outgoing/create-endpoint.ts": { words: ["webhookEndpoint.created"] },
  "lib/outgoing/deliver.ts": TRAFFIC,
  "lib/outgoing/purge-deliveries.ts": { none: "carries out the retention that was set, which is audited" },
  "lib/outgoing/record-health.ts": { none: "how an endpoint does, not a person's change" },
  "lib/outgoing/replay-deliveries.ts": { words: ["webhookEndpoint.replayed"] },
  "lib/outgoing/settle-deliveries.ts": TRAFFIC,
  "lib/outgoing/change-endpoint.ts": {
    words: [
      "webhookEndpoint.changed",
      "webhookEndpoint.deleted",
      "webhookEndpoint.paused",
      "webhookEndpoint.resumed",
      "webhookEndpoint.secretRotated",
    ],
  },
  "lib/outgoing/listen.ts": { none: "notes that a command still runs, and ends one that does not" },
  "lib/outgoing/reseal-secrets.ts": UPKEEP,
  "lib/media/store-upload.ts": TRAFFIC,
  "lib/messages/claim-message.ts": TRAFFIC,
  "lib/messages/purge-contents.ts": { none: "carries out the retention that was set, which is audited" },
  "lib/messages/record-statuses.ts": PLATFORM,
  "lib/messages/reveal-contents.ts": { words: ["message.revealed"] },
  "lib/messages/settle-message.ts": TRAFFIC,
  "lib/messages/sweep-messages.ts": TRAFFIC,
  "lib/phone-numbers/change-line.ts": {
    words: [
      "phoneNumber.changed",
      "phoneNumber.paused",
      "phoneNumber.resumed",
      "phoneNumber.disconnected",
      "phoneNumber.tokenReplaced",
      "phoneNumber.subscribed",
    ],
  },
  "lib/phone-numbers/check-line.ts": PLATFORM,
  "lib/phone-numbers/connect-phone-number.ts": { words: ["phoneNumber.connected"] },
  "lib/phone-numbers/note-token.ts": PLATFORM,
  "lib/phone-numbers/record-number-events.ts": PLATFORM,
  "lib/phone-numbers/reseal-tokens.ts": UPKEEP,
  "lib/auth/make-reset-link.ts": { words: ["member.resetLinkCreated"] },
  "lib/auth/reset-password.ts": { words: ["member.passwordReset"] },
  "lib/workspaces/count-month.ts": { none: "its callers record the change of the limit" },
  "lib/workspaces/take-unit.ts": TRAFFIC,
  "lib/operations/provision-api-keys.ts": { words: ["apiKey.changed"] },
  "lib/operations/provision-contacts.ts": { words: ["contact.created", "contact.changed"] },
  "lib/operations/provision-members.ts": { words: ["member.added", "member.changed"] },
  "lib/operations/provision-phone-numbers.ts": { words: ["phoneNumber.connected", "phoneNumber.changed"] },
  "lib/operations/provision-templates.ts": { words: ["template.created", "template.changed"] },
  "lib/operations/provision-workspaces.ts": { words: ["workspace.created", "workspace.changed"] },
  "lib/public-api/admit-caller.ts": TRAFFIC,
  "lib/limits/attempts.ts": TRAFFIC,
  "lib/limits/limiter.ts": TRAFFIC,
  "lib/public-api/purge-requests.ts": { none: "carries out the retention that was set, which is audited" },
  "lib/public-api/record-requests.ts": TRAFFIC,
  "lib/sessions/change-sessions.ts": OWN_ACCOUNT,
  "lib/operations/sweep.ts": UPKEEP,
  "lib/phone-numbers/template-reads.ts": UPKEEP,
  "lib/phone-numbers/queue-reads.ts": UPKEEP,
  "lib/templates/create-template.ts": { words: ["template.submitted"] },
  "lib/templates/record-template-events.ts": PLATFORM,
  "lib/templates/store-templates.ts": PLATFORM,
  "lib/incoming/count-webhooks.ts": PLATFORM,
  "lib/messages/roll-up-hours.ts": { none: "counts what is there" },
  "lib/incoming/note-webhook.ts": PLATFORM,
  "lib/auth/change-account.ts": OWN_ACCOUNT,
  "lib/workspaces/change-member.ts": { words: ["member.changed", "member.removed"] },
  "lib/workspaces/change-workspace.ts": { words: ["workspace.changed", "workspace.limitChanged"] },
  "lib/workspaces/delete-workspace.ts": { none: "the log goes with its workspace; a log line stays" },
  "lib/workspaces/invitations.ts": { words: ["invitation.created", "invitation.revoked", "member.added"] },
  "lib/workspaces/open-account.ts": { words: ["workspace.created"] },
  "lib/workspaces/record-visit.ts": { none: "notes when a member was seen last" },
};

const PRODUCT = /^((app|lib|scripts)\/.*|db\/\w+|\w+)\.(tsx?|m?js)$/;
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => PRODUCT.test(file) && existsSync(file))
  .sort();
const source = (file: string) => readFileSync(file, "utf8");
const wordsOf = (coverage: Coverage) => ("words" in coverage ? coverage.words : []);

describe("the dashboard's actions", () => {
  const actionFiles = files.filter((file) => /^\s*["']use server["']/m.test(source(file)));

  test("are in actions.ts files", () => {
    expect(actionFiles.filter((file) => !/^app\/(.*\/)?actions\.ts$/.test(file))).toEqual([]);
  });

  test("each has an audit word, or a reason why it writes nothing", () => {
    const actions = actionFiles.flatMap((file) => exportsOf(source(file)).map((name) => `${file} ${name}`));
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
  const writers = files.filter((file) => writesToDatabase(source(file)));

  test("has an audit word, or a reason why it has none", () => {
    expect(writers).toEqual(Object.keys(WRITERS).sort());
  });

  test.each(Object.entries(WRITERS).flatMap(([file, coverage]) => wordsOf(coverage).map((word) => [file, word])))(
    "%s writes %s in its own transaction",
    (file, word) => {
      expect(source(file ?? "")).toMatch(/\brecord(Audit|er)?\(/);
      expect(source(file ?? "")).toContain(`"${word}"`);
    },
  );

  test("uses every word of the log, and no other", () => {
    const [, union = ""] = /AuditAction =([^;]+);/.exec(source("lib/workspaces/record-audit.ts")) ?? [];
    const known = [...union.matchAll(/"([\w.]+)"/g)].map(([, word]) => word);
    const used = new Set(Object.values(WRITERS).flatMap(wordsOf));
    expect([...used].sort()).toEqual(known.sort());
  });
});
