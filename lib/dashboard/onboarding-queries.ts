import { onSql, readInstant, readRows } from "@/db/raw-sql";
import type { WorkspaceId } from "@/lib/core/principal";
import { findLastVerification } from "@/lib/incoming/queries";

/** A message shown in an onboarding step: the first of its kind, if among the oldest. */
export type FirstMessage = { id: string; at: Date; status: string };

/** A workspace's progress in onboarding, derived from its data. */
type Onboarding = {
  /** Whether a test key has a line to send from. */
  hasTestLine: boolean;
  testKey: string | undefined;
  testSend: FirstMessage | undefined;
  line: { id: string; label: string; displayPhoneNumber: string } | undefined;
  webhookAt: Date | undefined;
  liveSend: FirstMessage | undefined;
  liveKey: string | undefined;
  liveCall: FirstMessage | undefined;
};

/** First messages are usually among the oldest; no more than these are scanned in order. */
const OLDEST = 2_000;

export async function getOnboarding(workspaceId: WorkspaceId): Promise<Onboarding> {
  const [oldest, others, keys, lines, verified] = await Promise.all([
    firstMessages(workspaceId),
    anyMessages(workspaceId),
    onSql(
      (sql) => sql<{ mode: string; api_key: string }[]>`
        select distinct on (mode) mode, api_key from api_keys
        where workspace_id = ${workspaceId} and revoked_at is null and (expires_at is null or expires_at > now())
          and trial_of is null
        order by mode, created_at desc, id desc`,
    ),
    onSql(
      (sql) => sql<
        { id: string; mode: string; label: string; display_phone_number: string; heard_at: string | null }[]
      >`
        select id, mode, label, display_phone_number, last_webhook_at as heard_at from phone_numbers
        where workspace_id = ${workspaceId} and is_active and disconnected_at is null
        order by last_webhook_at desc nulls last, created_at`,
    ),
    findLastVerification(),
  ]);
  const line = lines.find(({ mode }) => mode === "live");
  const keyOf = (mode: string) => keys.find((key) => key.mode === mode)?.api_key;
  const messageOf = (step: Step) => [...oldest, ...others].find((message) => message.step === step);
  const heardAt = line?.heard_at ? readInstant(line.heard_at) : verified?.at;
  return {
    hasTestLine: lines.some(({ mode }) => mode === "test"),
    testKey: keyOf("test"),
    testSend: messageOf("test"),
    line: line && { id: line.id, label: line.label, displayPhoneNumber: line.display_phone_number },
    // A webhook for a live line proves more than a verification, which is for the whole deployment.
    webhookAt: line && heardAt,
    liveSend: messageOf("live"),
    liveKey: keyOf("live"),
    liveCall: messageOf("call"),
  };
}

type Step = "test" | "live" | "call";
type StepMessage = FirstMessage & { step: Step };
type StepRow = { step: Step; id: string; status: string; at: string };

const toMessage = ({ at, ...row }: StepRow): StepMessage => ({ ...row, at: readInstant(at) });

/** Among the oldest: the first accepted in test mode, the first live one, and the first live one by a key. */
const firstMessages = (workspaceId: WorkspaceId): Promise<StepMessage[]> =>
  onSql((sql) => {
    const rows = sql<StepRow[]>`
      with oldest as materialized (
        select id, mode, api_key_id, status, created_at, sent_at from messages
        where workspace_id = ${workspaceId} order by created_at, id limit ${OLDEST}
      )
      select distinct on (step) step, id, status, sent_at as at from oldest
      join (values ('test', 'test', false), ('live', 'live', false), ('call', 'live', true))
        as asked (step, mode, is_of_key) on oldest.mode = asked.mode::mode
      where sent_at is not null and (api_key_id is not null or not is_of_key)
      order by step, created_at, id`;
    return readRows(rows, toMessage);
  });

/**
 * Searches all messages by line: WhatsApp's ids are indexed by line, and a line has one mode. Ordering by
 * the index keeps the planner from scanning all messages; few have no key, because those were sent by hand.
 */
const anyMessages = (workspaceId: WorkspaceId): Promise<StepMessage[]> =>
  onSql((sql) => {
    const rows = sql<StepRow[]>`
      select distinct on (step) step, sent.id, sent.status, sent.sent_at as at
      from phone_numbers line
      cross join lateral (values ('test', 'test', false), ('live', 'live', false), ('call', 'live', true))
        as asked (step, mode, is_of_key)
      cross join lateral (
        select id, status, sent_at from messages
        where workspace_id = ${workspaceId} and phone_number_id = line.id and whatsapp_message_id is not null
          and sent_at is not null and (api_key_id is not null or not asked.is_of_key)
        order by whatsapp_message_id limit 1
      ) sent
      where line.workspace_id = ${workspaceId} and line.mode = asked.mode::mode
      order by step, sent.sent_at`;
    return readRows(rows, toMessage);
  });
