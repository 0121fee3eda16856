import type { Mode } from "@/db/schema/identity";
import type { AppError } from "@/lib/core/app-error";

export type Call = { body: unknown; idempotencyKey: string };

export type Answer = {
  call: Call;
  status: number;
  text: string;
  requestId: string | null;
  ms: number;
  messageId: string | null;
  /** A code that has a page. */
  error: string | null;
  /** What is wrong with a field, by its path. */
  issues: Record<string, string>;
};

export type Lookup = "found" | "absent" | "unreachable";

/** What is known of a send that got no answer. */
export type Found = { lookup: Lookup; messageId: string | undefined };

/** Longer than the server ever takes. */
const TIMEOUT_MS = 30_000;

const routeOf = (workspaceId: string, path: string, query: Record<string, string>) =>
  `/api/v1/workspaces/${workspaceId}/messages/${path}?${new URLSearchParams(query)}`;

/** Sends once. Undefined where no answer of ours came: the message may have been sent. */
export async function post(workspaceId: string, mode: Mode, call: Call): Promise<Answer | undefined> {
  const startedAtMs = performance.now();
  try {
    const response = await fetch(routeOf(workspaceId, "send", { mode }), {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": call.idempotencyKey },
      body: JSON.stringify(call.body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const said: Said = await response.json();
    return {
      call,
      status: response.status,
      ms: Math.round(performance.now() - startedAtMs),
      requestId: response.headers.get("x-request-id"),
      text: JSON.stringify(said, null, 2),
      messageId: said.data?.id ?? said.details?.messageId ?? null,
      error: said.error ?? null,
      issues: Object.fromEntries((said.details?.issues ?? []).map(({ path, message }) => [path, message])),
    };
  } catch {
    return undefined;
  }
}

/** The message that an idempotency key made, if it made one. */
export async function lookUp(workspaceId: string, mode: Mode, key: string): Promise<Found> {
  try {
    const response = await fetch(routeOf(workspaceId, "by-key", { mode, key }), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const said: Said = await response.json();
    if (said.data) return { lookup: "found", messageId: said.data.id };
    return { lookup: said.error === "NOT_FOUND" ? "absent" : "unreachable", messageId: undefined };
  } catch {
    return { lookup: "unreachable", messageId: undefined };
  }
}

/** A success or an error of ours. */
type Said = { data?: { id: string }; error?: string; details?: AppError["details"] };
