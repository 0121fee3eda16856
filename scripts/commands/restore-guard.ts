import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { guardedSince } from "@/db/restore-guard";
import { removeRestoreGuard, setRestoreGuard } from "@/db/set-restore-guard";
import { listLostSends } from "@/lib/messages/send/sweep-queries";
import { oneOf, runCommand } from "../operator-command";

const USAGE = `Usage: switchboard restore-guard on|off|status

After a restore from a backup, messages that were sent after it are unknown here, and so are their idempotency keys.
"on" refuses live sends on all servers, with a 503 that asks to retry later; keys that are known still return their message.
"status" prints since when, and of which workspaces WhatsApp has reported messages since that are missing here. That is a part of
what was sent: an empty list proves nothing.
"off" lets sends go on.
`;

const CHANGES = {
  on: setRestoreGuard,
  off: removeRestoreGuard,
  status: async () => undefined,
} satisfies Record<string, (sql: Sql) => Promise<unknown>>;

export function restoreGuard(args: string[]): Promise<void> {
  // "on" must be possible before a migration: where servers start by themselves, as on Vercel, sends go on right after it.
  const line = { usage: USAGE, words: 1, args, anySchema: args[0] === "on" };
  return runCommand(line, async ({ positionals: [word] }) => {
    const change = CHANGES[oneOf(["on", "off", "status"], word, "The change")];
    await onSql(change);
    const since = await onSql(guardedSince);
    return { answer: since ? { guard: "on", since, lostSendsSeen: await listLostSends(since) } : { guard: "off" } };
  });
}
