import postgres from "postgres";
import { closePools } from "@/db/client";
import { withProgress } from "../../scripts/progress.mjs";
import { keepFromCounting, letCount, rollUpAll } from "../support/roll-up";
import { fillContacts, fillTraffic, prepareConnection } from "../support/traffic";
import type { BenchWorkspace } from "./bench-world";

const DAYS = 30;
const CONTACTS = 20_000;
const PHONES_FROM = 447_400_000_000;
/** On two cores. */
const CONNECTIONS = 2;

/** A month of messages of one workspace, with what the Overview and the export read of them: no calls, no events. */
export const fillHistory = async (
  databaseUrl: string,
  { id: workspaceId, phoneNumbers }: BenchWorkspace,
  messages: number,
): Promise<void> => {
  const connections = Array.from({ length: CONNECTIONS }, () =>
    postgres(databaseUrl, { max: 1, onnotice: () => undefined }),
  );
  const [sql] = connections;
  if (!sql) throw new Error("there is a connection");
  try {
    await Promise.all(connections.map(prepareConnection));
    await keepFromCounting(sql);
    await fillContacts(sql, { workspaceId, count: CONTACTS, phonesFrom: PHONES_FROM });
    const keys = await sql<{ id: string }[]>`select id from api_keys where workspace_id = ${workspaceId}`;
    const traffic = {
      workspaceId,
      mode: "live" as const,
      days: DAYS,
      loggedShare: 0,
      templates: ["order_ready/en_US"],
      lineIds: Object.values(phoneNumbers),
      keyIds: keys.map(({ id }) => id),
    };
    const part = Math.ceil(messages / CONNECTIONS);
    await Promise.all(
      connections.map((connection, index) =>
        fillTraffic(connection, {
          ...traffic,
          messages: Math.min(part, messages - index * part),
          firstNumber: index * part + 1,
        }),
      ),
    );
    await sql`vacuum analyze messages, contacts`;
    await letCount(sql);
    await withProgress("Roll-up of messages by the hour", () => rollUpAll(sql, { workspaceId, messages }));
    await sql`vacuum analyze messages_by_quarter, messages_by_day, duration_hours`;
    await sql`checkpoint`;
  } finally {
    await Promise.all([...connections.map((connection) => connection.end({ timeout: 5 })), closePools()]);
  }
};
