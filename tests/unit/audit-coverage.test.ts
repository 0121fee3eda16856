import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writesToDatabase } from "../support/audit-scan";

/** Writes that leave no row in the audit log, by the reason. A new one needs a line here. */
const UNAUDITED: Record<string, string[]> = {
  "notes when a key was used last": ["lib/api-keys/authenticate.ts"],
  "upkeep that changes nothing that anybody set": [
    "db/jobs.ts",
    "db/migrate.ts",
    "scripts/generate-migration.mjs",
    "lib/operations/re-encrypt.ts",
    "lib/operations/sweep.ts",
    "lib/phone-numbers/queue-reads.ts",
  ],
  "alerts and mail, which say what was seen and change nothing": [
    "lib/alerts/announce.ts",
    "lib/alerts/note-sign-in.ts",
    "lib/alerts/watch-alerts.ts",
    "lib/mail/queue-mail.ts",
    "lib/operations/send-mails.ts",
  ],
  "the audit log itself": ["lib/workspaces/record-audit.ts"],
  "WhatsApp's own word, not a person's change": [
    "lib/contacts/announce-contacts.ts",
    "lib/phone-numbers/note-portfolio.ts",
    "lib/contacts/record-inbound.ts",
    "lib/incoming/count-webhooks.ts",
    "lib/incoming/note-webhook.ts",
    "lib/messages/statuses/record-statuses.ts",
    "lib/phone-numbers/check-line.ts",
    "lib/phone-numbers/note-token.ts",
    "lib/phone-numbers/record-number-events.ts",
    "lib/templates/record-template-events.ts",
    "lib/templates/store-templates.ts",
  ],
  "traffic of the API, whose rows tell their own history": [
    "lib/limits/attempts.ts",
    "lib/limits/limiter.ts",
    "lib/media/store-upload.ts",
    "lib/messages/send/claim-message.ts",
    "lib/messages/send/settle-message.ts",
    "lib/messages/send/sweep-messages.ts",
    "lib/messages/send/take-over-message.ts",
    "lib/outgoing/claim-deliveries.ts",
    "lib/outgoing/deliver.ts",
    "lib/outgoing/settle-deliveries.ts",
    "lib/api/admit-caller.ts",
    "lib/api/log/record-requests.ts",
    "lib/limits/take-unit.ts",
  ],
  "carries out an erasure, or the retention that was set, which are audited": [
    "lib/contacts/erase-events.ts",
    "lib/contacts/erase-rows.ts",
    "lib/messages/list/purge-contents.ts",
    "lib/outgoing/purge-deliveries.ts",
    "lib/api/log/purge-requests.ts",
  ],
  "how an endpoint does, not a person's change": ["lib/outgoing/record-health.ts"],
  "notes that a command still runs, and ends one that does not": ["lib/outgoing/listen.ts"],
  "its callers record the change of the limit": ["lib/limits/count-month.ts"],
  "a person's own account, which is in no workspace's log": [
    "lib/alerts/change-alert-settings.ts",
    "lib/auth/change-account.ts",
    "lib/auth/confirm-email.ts",
    "lib/sessions/change-sessions.ts",
  ],
  "locks, and writes what its callers did into the log": ["lib/auth/lock-account.ts"],
  "its steps, a line and a key, record themselves": ["lib/dashboard/start-testing.ts"],
  "comes with a test line, whose row says so": ["lib/phone-numbers/add-sandbox-templates.ts"],
  "spells a stored name as searches do": ["lib/contacts/fold-names.ts"],
  "counts what is there": [
    "lib/messages/usage/count-people.ts",
    "lib/messages/usage/roll-up.ts",
    "lib/messages/usage/sum-days.ts",
  ],
  "the log goes with its workspace; a log line stays": ["lib/workspaces/delete-workspace.ts"],
  "notes when a member was seen or acted last": ["lib/workspaces/record-visit.ts", "lib/sessions/record-action.ts"],
};

const PRODUCT = /^((app|lib|scripts)\/.*|db\/\w+|\w+)\.(tsx?|m?js)$/;
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => PRODUCT.test(file) && existsSync(file));
const source = (file: string) => readFileSync(file, "utf8");
const writers = files.filter((file) => writesToDatabase(source(file)));
const sentences = source("lib/workspaces/audit-sentences.ts");
const words = [...sentences.matchAll(/^ {2}"([\w.]+)":/gm)].map(([, word = ""]) => word);

test("what writes to the database leaves an audit row in its transaction, or has a reason why it leaves none", () => {
  const isAudited = (file: string) =>
    /\brecord(er)?\(/.test(source(file)) && words.some((word) => source(file).includes(`"${word}"`));
  const unaudited = writers.filter((file) => !isAudited(file) || file === "lib/workspaces/record-audit.ts");
  expect(unaudited.toSorted()).toEqual(Object.values(UNAUDITED).flat().toSorted());
});

test("each word of the log is written by a use case", () => {
  const written = writers.filter((file) => file !== "lib/workspaces/record-audit.ts").map(source);
  expect(words.filter((word) => !written.some((text) => text.includes(`"${word}"`)))).toEqual([]);
});

test("the dashboard's actions are in actions.ts files", () => {
  const holders = files.filter((file) => /^\s*["']use server["']/m.test(source(file)));
  expect(holders.filter((file) => !/^app\/(.*\/)?actions\.ts$/.test(file))).toEqual([]);
});
