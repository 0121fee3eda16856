"use client";

import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { Copyable } from "@/app/_components/copyable";
import { statusText } from "@/app/_components/http-status";
import { Notice } from "@/app/_components/notice";
import { TextLink } from "@/app/_components/text-link";
import type { Answer, Call, Found } from "./ask-server";

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
    <Card aria-labelledby="answer" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="answer" className="font-semibold">
          Answer
        </h2>
        <p role="status">{answer ? `${status} in ${answer.ms} ms` : ""}</p>
      </div>
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
