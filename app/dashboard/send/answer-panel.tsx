"use client";

import { type ApiAnswer, callApi, statusText } from "@/app/_components/api-call";
import { Button } from "@/app/_components/button";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copy-button";
import { TextLink } from "@/app/_components/link";
import { Card, Notice } from "@/app/_components/panels";
import type { AppError } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import type { Mode } from "@/lib/core/principal";

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
    <div className={ending === undefined ? "sr-only" : ""}>
      <Card title="Response" className="grid gap-3">
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
                  A replay returns 200 with the first message and sends nothing.
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
    </div>
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

type Answer = ApiAnswer & {
  call: Call;
  messageId: string | null;
  /** What is wrong with a field, by its path. */
  issues: Record<string, string>;
};

type Lookup = "found" | "absent" | "unreachable";

/** What is known of a send that got no answer. */
type Found = { lookup: Lookup; messageId: string | undefined };

const routeOf = (workspaceId: string, path: string, query: Record<string, string>) =>
  `/api/v1/workspaces/${workspaceId}/messages/${path}?${new URLSearchParams(query)}`;

/** A success or an error of ours. */
type Said = { data?: { id: string }; details?: AppError["details"] };

/** Sends once. Undefined where no answer of ours came: the message may have been sent. */
export async function post(workspaceId: string, mode: Mode, call: Call): Promise<Answer | undefined> {
  try {
    const answer = await callApi(routeOf(workspaceId, "send", { mode }), {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": call.idempotencyKey },
      body: JSON.stringify(call.body),
    });
    if (!isRecord(answer.body)) return undefined;
    const { data, details }: Said = answer.body;
    const issues = Object.fromEntries((details?.issues ?? []).map(({ path, message }) => [path, message]));
    return { ...answer, call, messageId: data?.id ?? details?.messageId ?? null, issues };
  } catch {
    return undefined;
  }
}

/** The message of an idempotency key, if there is one. */
export async function lookUp(workspaceId: string, mode: Mode, key: string): Promise<Found> {
  try {
    const { body, error } = await callApi(routeOf(workspaceId, "by-key", { mode, key }));
    const { data }: Said = isRecord(body) ? body : {};
    return { lookup: data ? "found" : error === "NOT_FOUND" ? "absent" : "unreachable", messageId: data?.id };
  } catch {
    return { lookup: "unreachable", messageId: undefined };
  }
}
