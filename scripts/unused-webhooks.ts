import { UNHANDLED_KINDS } from "@/db/schema";
import { meaningOf } from "@/lib/incoming/unhandled";
import { listUnhandled, readUnhandledBody } from "@/lib/incoming/unhandled-queries";
import { reportOf } from "@/lib/phone-numbers/account-reports";
import { listReports } from "@/lib/phone-numbers/queries";
import { type Arguments, noMore, run, UsageError } from "./command-line";
import { onDeployment } from "./operator-command";

const KINDS = [...UNHANDLED_KINDS, "error", "security"] as const;
const [USUAL, MOST] = [50, 1_000];

const USAGE = `Usage: npm run --silent unused-webhooks -- [--kind KIND] [--limit N] [--json]
       npm run --silent unused-webhooks -- --body wh_…

Lists what WhatsApp sent to this deployment without effect in the last 7 days, and the errors of accounts and security events of
numbers, newest first: ${USUAL} unless you say, at most ${MOST}. Below the list is what each kind means.
KIND is one of ${KINDS.join(", ")}.
--body prints the stored body of one. It may hold what a person wrote, and their number.
`;

type Listed = {
  at: Date;
  kind: (typeof KINDS)[number];
  /** The id of what is stored; an error or event has that of its workspace. */
  id: string;
  field: string | null;
  account: string | null;
  /** WhatsApp's id of the number; for an error or event its digits. */
  number: string | null;
  reason: string;
  meaning: string;
};

await run({ usage: USAGE, options: ["kind", "limit", "body"], flags: ["json"] }, async (given) => {
  noMore(given.positionals);
  const [kind, limit, id] = [kindIn(given), limitIn(given), given.option("body")];
  return onDeployment(async () => {
    if (id !== undefined) return printBody(id);
    const rows = await list(kind, limit);
    process.stdout.write(given.flag("json") ? `${JSON.stringify(rows, null, 2)}\n` : textOf(rows));
    return true;
  });
});

async function printBody(id: string): Promise<boolean> {
  const body = await readUnhandledBody(id);
  if (body === undefined) throw new Error(`There is no stored webhook ${id}. They are deleted after 7 days.`);
  process.stdout.write(`${body}\n`);
  return true;
}

async function list(kind: Listed["kind"] | undefined, limit: number): Promise<Listed[]> {
  const isReport = kind === "error" || kind === "security";
  const unhandled = isReport ? [] : await listUnhandled({ kind, limit });
  const reports = isReport || kind === undefined ? await listReports({ kind, limit }) : [];
  const listed = [
    ...unhandled.map(({ whatsappBusinessAccountId, whatsappPhoneNumberId, ...row }) => ({
      ...row,
      account: whatsappBusinessAccountId,
      number: whatsappPhoneNumberId,
      meaning: meaningOf(row.kind, row.field).sentence,
    })),
    ...reports.map((notice) => ({
      at: notice.occurredAt,
      kind: notice.kind === "security" ? ("security" as const) : ("error" as const),
      id: notice.workspaceId,
      field: notice.kind === "security" ? "security" : "messages",
      account: notice.account,
      number: notice.number,
      reason: notice.event,
      meaning: reportOf(notice)?.sentence ?? "",
    })),
  ];
  return listed.toSorted((one, other) => other.at.getTime() - one.at.getTime()).slice(0, limit);
}

function textOf(rows: readonly Listed[]): string {
  if (rows.length === 0) return "Nothing was stored without effect in the last 7 days.\n";
  const lines = rows.map(({ at, kind, id, field, account, number, reason }) =>
    [at.toISOString(), kind, field ?? "-", `account ${account ?? "-"}`, `number ${number || "-"}`, id, reason].join(
      "  ",
    ),
  );
  const meanings = new Map(
    rows.map(({ kind, field, reason, meaning }) => {
      const what = kind === "unusedField" ? `${kind} ${field ?? ""}`.trim() : kind;
      return [kind === "error" || kind === "security" ? `${kind} ${reason}` : what, meaning];
    }),
  );
  return `${[...lines, "", ...[...meanings].map(([what, meaning]) => `${what}: ${meaning}`)].join("\n")}\n`;
}

function kindIn({ option }: Arguments): Listed["kind"] | undefined {
  const given = option("kind");
  const kind = KINDS.find((one) => one === given);
  if (given !== undefined && !kind) throw new UsageError(`--kind must be one of ${KINDS.join(", ")}.`);
  return kind;
}

function limitIn({ option }: Arguments): number {
  const given = option("limit") ?? `${USUAL}`;
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= MOST) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MOST}.`);
}
