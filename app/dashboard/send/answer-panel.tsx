"use client";

import { Button } from "@/app/_components/button";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copyable";
import { TextLink } from "@/app/_components/text-link";
import type { AppError } from "@/lib/errors";

export type Call = { body: unknown; idempotencyKey: string };

export type Answer = {
  call: Call;
  /** Zero where there was none. */
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

/** What the server answered. A send that nobody answered may have happened: its key tells. */
export function AnswerPanel({
  answer,
  isBusy,
  onReplay,
}: {
  answer: Answer | undefined;
  isBusy: boolean;
  onReplay: (call: Call) => void;
}) {
  return (
    <section aria-labelledby="answer" className="grid gap-3 rounded-card border border-hairline p-4 sm:p-5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="answer" className="font-semibold">
          Answer
        </h2>
        <p role="status">{answer ? `${statusText(answer)} in ${answer.ms} ms` : ""}</p>
      </div>
      {answer ? (
        <>
          {answer.requestId ? <Copyable value={answer.requestId} label="request id" /> : null}
          <CodeBlock label={statusText(answer)} code={answer.text} canCopy={answer.text !== ""} />
          <div className="flex flex-wrap items-center gap-3">
            <Button
              look="secondary"
              aria-disabled={isBusy}
              onClick={() => (isBusy ? undefined : onReplay(answer.call))}
            >
              Replay the same key
            </Button>
            {answer.error ? (
              <TextLink href={`/docs/errors/${answer.error}`}>What {answer.error} means</TextLink>
            ) : (
              <span className="text-sm text-muted">
                A replay answers 200 with the first message, and sends nothing.
              </span>
            )}
          </div>
        </>
      ) : (
        <p className="text-muted">
          The status, the request id and the JSON appear here, as your program would get them.
        </p>
      )}
    </section>
  );
}

const statusText = ({ status }: Answer): string =>
  status === 0 ? "No answer" : `${status}${WORDS[status] ? ` ${WORDS[status]}` : ""}`;

const WORDS: Record<number, string> = {
  ...{ 200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 402: "Payment Required" },
  ...{ 403: "Forbidden", 404: "Not Found", 409: "Conflict", 413: "Content Too Large" },
  ...{ 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable" },
};

export const post = async (url: string, call: Call): Promise<Answer> => {
  const startedAtMs = performance.now();
  const since = () => Math.round(performance.now() - startedAtMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": call.idempotencyKey },
      body: JSON.stringify(call.body),
    });
    const json = await response.text();
    const said = readSaid(json);
    return {
      ...{ call, status: response.status, ms: since(), requestId: response.headers.get("x-request-id") },
      text: said ? JSON.stringify(said, null, 2) : json,
      messageId: said?.data?.id ?? said?.details?.messageId ?? null,
      error: said?.error ?? null,
      issues: Object.fromEntries((said?.details?.issues ?? []).map(({ path, message }) => [path, message])),
    };
  } catch {
    const text = "The server did not answer. The message may have been sent: replay the same key to learn it.";
    return { ...{ call, status: 0, ms: since(), requestId: null, messageId: null, error: null, issues: {} }, text };
  }
};

/** A success or an error of ours. */
type Said = { data?: { id: string }; error?: string; details?: AppError["details"] };

/** Undefined where something in between answered with a page of its own. */
const readSaid = (json: string): Said | undefined => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};
