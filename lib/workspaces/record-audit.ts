import { inTransaction, type onDatabase, type Transaction } from "@/db/client";
import { auditLog } from "@/db/schema/identity";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import type { AuditAction } from "./audit-sentences";

/** Who makes a change: a signed-in user by id, a program by name, or WhatsApp if a webhook reports it. */
type Actor = { kind: "user" | "provisioner" | "command" | "platform"; id: string };

/** An actor, with the request id if there is a request. */
export type Author = { actor: Actor; requestId: string | null };

/** A signed-in user. */
export function byUser(id: string, requestId: string): Author {
  return { actor: { kind: "user", id }, requestId };
}

/** A program that an operator runs. */
export function command(name: string): Author {
  return { actor: { kind: "command", id: name }, requestId: null };
}

/** Returns the id of the acting user; null for a program. */
export function userBehind({ actor }: Author): string | null {
  return actor.kind === "user" ? actor.id : null;
}

export const WHATSAPP: Author = { actor: { kind: "platform", id: "WhatsApp" }, requestId: null };

type Fields = Record<string, unknown>;

/** The changed fields, old and new; `before` is null for a new object. */
type Change = { before: Fields | null; after: Fields };

/** Never shown: an audit row says that these changed, not their values. */
const SECRETS = ["accessToken", "passwordHash", "secretHash", "previousSecretHash", "secret", "previousSecret"];

export const HIDDEN = "hidden";

/**
 * Returns what a write of `after` changes in `before`; undefined if nothing. Undefined fields are not
 * written. `personal` names recipient fields, which an erasure could not find here, so they are hidden, too.
 */
export function changeOf(
  before: Fields | undefined,
  after: Fields,
  { personal = [] }: { personal?: readonly string[] } = {},
): Change | undefined {
  const changed = Object.entries(after).filter(
    ([name, value]) => value !== undefined && !(before && isSame(before[name], value)),
  );
  if (before && changed.length === 0) return undefined;
  const isHidden = (name: string) => SECRETS.includes(name) || personal.includes(name);
  const shown = (name: string, value: unknown) => (isHidden(name) && isPresent(value) ? HIDDEN : value);
  return {
    before: before ? Object.fromEntries(changed.map(([name]) => [name, shown(name, before[name] ?? null)])) : null,
    after: Object.fromEntries(changed.map(([name, value]) => [name, shown(name, value)])),
  };
}

const isPresent = (value: unknown) => value !== null && value !== undefined;
const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b);

/** Writes the audit row of a change in its transaction, so that both commit or neither does; none without a change. */
export type Recorder = (action: AuditAction, targetId: string, change: Change | undefined) => Promise<void>;

/** Runs a change by `by` in one transaction with its audit rows, which `record` writes. */
export function audited<Result>(
  workspaceId: WorkspaceId,
  by: Author,
  work: (tx: Transaction, record: Recorder) => Promise<Result>,
  options?: Parameters<typeof onDatabase>[1],
): Promise<Result> {
  return inTransaction((tx) => work(tx, recorder(tx, workspaceId, by)), options);
}

/** The same for a transaction of the caller. */
export function recorder(tx: Transaction, workspaceId: WorkspaceId, { actor, requestId }: Author): Recorder {
  return async (action, targetId, change) => {
    if (!change) return;
    await tx.insert(auditLog).values({
      workspaceId,
      id: newId("aud"),
      actorKind: actor.kind,
      actorId: actor.id,
      requestId,
      action,
      targetKind: action.replace(/\..*/, ""),
      targetId,
      ...change,
    });
  };
}
