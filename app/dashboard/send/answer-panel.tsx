"use client";

import { statusText } from "@/app/_components/api-call";
import { Button } from "@/app/_components/button";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Card, Notice } from "@/app/_components/panels";
import type { Mode } from "@/db/schema/identity";
import type { AppError } from "@/lib/core/app-error";

/** How a send ended: with an answer, or without one and with what was looked up since. */
export type Ending = { answer: Answer } | ({ unanswered: Call } & Partial<Found>);

type Props = {
  ending: Ending | undefined;
  isBusy: boolean;
  onReplay: (call: Call) => void;
  onLookUp: (call: Call) => void;
};

/** What the server answered, or how to find out what happened where it did not. */
export function AnswerPanel({ ending, isBusy, onReplay, onLookUp }: Props) {
  const answer = ending && "answer" in ending ? ending.answer : undefined;
  const status = answer && statusText(answer.status);
  const button = (word: string, act: () => void) => (
    <Button look="secondary" aria-disabled={isBusy} onClick={() => (isBusy ? undefined : act())}>
      {word}
    </Button>
  );
  return (
    <Card title="Answer" className="grid gap-3">
      <p role="status" className="empty:sr-only">
        {answer ? `${status} in ${answer.ms} ms` : ""}
      </p>
      {ending === undefined ? (
        <p className="text-muted">
          The status, the request id and the JSON appear here, as your program would get them.
        </p>
      ) : "answer" in ending ? (
        <>
          {ending.answer.requestId ? <Copyable value={ending.answer.requestId} label="request id" /> : null}
          <CodeBlock label={status ?? ""} code={ending.answer.text} />
          <div className="flex flex-wrap items-center gap-3">
            {button("Replay the same key", () => onReplay(ending.answer.call))}
            {ending.answer.error ? (
              <TextLink href={`/docs/errors/${ending.answer.error}`}>What {ending.answer.error} means</TextLink>
            ) : (
              <span className="text-sm text-muted">
                A replay answers 200 with the first message, and sends nothing.
              </span>
            )}
          </div>
        </>
      ) : (
        <>
          <div role="alert">
            <Notice tone={ending.lookup === "found" || ending.lookup === "absent" ? "info" : "caution"}>
              {WORDS[ending.lookup ?? "none"]}
            </Notice>
          </div>
          {ending.lookup === "found" ? null : (
            <div className="flex flex-wrap items-center gap-3">
              {button("Check status", () => onLookUp(ending.unanswered))}
              <span className="text-sm text-muted">
                Sending again is safe while the idempotency key stays the same: the message is sent at most once.
              </span>
            </div>
          )}
        </>
      )}
    </Card>
  );
}

const WORDS = {
  none: "No answer. The message may have been sent. Check its status before you send again.",
  unreachable:
    "The server still cannot be reached, so the status is unknown. The message may have been sent. Check again in a moment.",
  absent: "No message was created with this idempotency key so far. You can send again with the same key.",
  found: "The message was created. Its status is below.",
};

export type Call = { body: unknown; idempotencyKey: string };

type Answer = {
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

type Lookup = "found" | "absent" | "unreachable";

/** What is known of a send that got no answer. */
type Found = { lookup: Lookup; messageId: string | undefined };

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

/** The message of an idempotency key, if there is one. */
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
