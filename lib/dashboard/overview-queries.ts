import { and, desc, eq, gte, inArray, sql } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type Mode, messages, templates } from "@/db/schema";
import { keyAge } from "@/lib/api-keys/key-age";
import { listKeys } from "@/lib/api-keys/queries";
import type { WorkspaceId } from "@/lib/core/principal";
import { listSilentLines } from "@/lib/incoming/queries";
import { selectMessages } from "@/lib/messages/message-summary";
import { listEndpoints } from "@/lib/outgoing/endpoint-queries";
import { problemsOf } from "@/lib/phone-numbers/health";
import { listAllLines } from "@/lib/phone-numbers/queries";
import type { AttentionFacts } from "./attention";

const OUT_OF_USE = ["PAUSED", "DISABLED", "REJECTED"];
const RECENT_DAYS = 7;
const LATEST_MESSAGES = 5;

type Asked = { mode: Mode; seesApiKeys: boolean; seesWebhooks: boolean; now: Date };

/** Returns the facts for `attentionOf`; the caller adds the monthly quota. */
export async function getAttentionFacts(
  workspaceId: WorkspaceId,
  { mode, seesApiKeys, seesWebhooks, now }: Asked,
): Promise<Omit<AttentionFacts, "quotaMark">> {
  const [lines, silent, outOfUse, keys, endpoints] = await Promise.all([
    listAllLines(workspaceId),
    listSilentLines(workspaceId),
    listOutOfUse(workspaceId, mode),
    seesApiKeys ? listKeys(workspaceId) : [],
    seesWebhooks ? listEndpoints(workspaceId, mode) : [],
  ]);
  return {
    lines: lines
      .filter((line) => line.mode === mode)
      .map((line) => {
        const silence = silent.find(({ id }) => id === line.id);
        return { id: line.id, label: line.label, problems: problemsOf({ ...line, silence }, now) };
      }),
    templates: outOfUse,
    keys: keys.filter((key) => key.mode === mode).map((key) => ({ ...key, age: keyAge(key, now) })),
    // Failures of `listen` sessions are expected during development.
    endpoints: endpoints.filter(({ listensUntil }) => listensUntil === null),
    now,
  };
}

/** The newest messages of a mode. */
export function listLatestMessages(workspaceId: WorkspaceId, mode: Mode) {
  return onDatabase((db) =>
    selectMessages(db)
      .where(and(eq(messages.workspaceId, workspaceId), eq(messages.mode, mode)))
      .orderBy(desc(messages.createdAt), desc(messages.id))
      .limit(LATEST_MESSAGES),
  );
}

const listOutOfUse = (workspaceId: WorkspaceId, mode: Mode) =>
  onDatabase((db) =>
    db
      .select({ id: templates.id, name: templates.name, language: templates.language, status: templates.status })
      .from(templates)
      .where(
        and(
          eq(templates.workspaceId, workspaceId),
          eq(templates.mode, mode),
          inArray(templates.status, OUT_OF_USE),
          gte(templates.statusChangedAt, sql`now() - make_interval(days => ${RECENT_DAYS})`),
        ),
      )
      .orderBy(templates.name, templates.language),
  );
