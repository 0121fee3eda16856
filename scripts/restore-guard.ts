import type { Sql } from "postgres";
import { onSql } from "@/db/raw-sql";
import { guardedSince } from "@/db/restore-guard";
import { removeRestoreGuard, setRestoreGuard } from "@/db/set-restore-guard";
import { listLostSends } from "@/lib/messages/queries";
import { UsageError } from "./command-line";
import { runCommand } from "./operator-command";

const USAGE = `Usage: npm run --silent restore-guard -- on|off|status

After a restore from a backup, messages that were sent after it are unknown here, and so are their idempotency keys.
"on" refuses live sends on all servers, with a 503 that asks to retry later; keys that are known still return their message.
"status" prints since when, and of which workspaces WhatsApp has reported messages since that are missing here. That is a part of
what was sent: an empty list proves nothing.
"off" lets sends go on.
`;

const CHANGES: Record<string, (sql: Sql) => Promise<unknown>> = {
  on: setRestoreGuard,
  off: removeRestoreGuard,
  status: async () => undefined,
};

// "on" must be possible before a migration: where servers start by themselves, as on Vercel, sends go on right after it.
await runCommand(
  { usage: USAGE, options: [], anySchema: process.argv[2] === "on" },
  async ({ positionals: [word = "", ...more] }) => {
    const change = Object.hasOwn(CHANGES, word) && more.length === 0 ? CHANGES[word] : undefined;
    if (!change) throw new UsageError("Give one of on, off and status.");
    await onSql(change);
    const since = await onSql(guardedSince);
    return { answer: since ? { guard: "on", since, lostSendsSeen: await listLostSends(since) } : { guard: "off" } };
  },
);
