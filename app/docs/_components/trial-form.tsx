"use client";

import { useState } from "react";
import { Button } from "@/app/_components/button";
import { Choice } from "@/app/_components/choice";
import { Field, TextArea } from "@/app/_components/field";
import { Notice } from "@/app/_components/notice";
import { sentenceCase } from "@/lib/core/text";
import { callApi, type Endpoint, NoTrialKey, type TrialAnswer } from "./trial-call";
import { TrialResponse } from "./trial-response";
import { useLastMessage } from "./use-last-message";

const KEY = "Idempotency-Key";

/** The parameters and the body of a request, to be changed and sent. */
export function TrialForm({ endpoint, workspaceId }: { endpoint: Endpoint; workspaceId: string }) {
  const { id, method, parameters, bodies } = endpoint;
  const [type = ""] = Object.keys(bodies);
  const [chosen, setChosen] = useState(type);
  const [body, setBody] = useState(bodies[type]);
  const [typed, setTyped] = useState<Record<string, string>>(() => ({ [KEY]: newKey() }));
  const [isBusy, setIsBusy] = useState(false);
  const [answer, setAnswer] = useState<TrialAnswer>();
  const [failure, setFailure] = useState("");
  const [lastMessageId, setLastMessageId] = useLastMessage();
  const values: Record<string, string> = { messageId: lastMessageId, ...typed };

  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setFailure("");
    try {
      const said = await callApi(workspaceId, endpoint, { values, body });
      setAnswer(said);
      if (said.messageId !== null) setLastMessageId(said.messageId);
    } catch (error) {
      setAnswer(undefined);
      setFailure(error instanceof NoTrialKey ? error.message : `No response came. ${SAFE[method] ?? ""}`);
    } finally {
      setIsBusy(false);
    }
  };

  /** Another message: sent again unchanged it would be a replay, and a changed body under one key is refused. */
  const change = (text: string | undefined) => {
    setBody(text);
    if (answer || failure) setTyped((before) => ({ ...before, [KEY]: newKey() }));
    setAnswer(undefined);
    setFailure("");
  };

  return (
    <div className="grid grid-cols-1 gap-4">
      <form
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        className="grid grid-cols-1 gap-4"
      >
        {type === "" ? null : (
          <div>
            <Choice
              label="Message type"
              options={Object.fromEntries(Object.keys(bodies).map((name) => [name, sentenceCase(name)]))}
              value={chosen}
              onChange={(name) => {
                setChosen(name);
                change(bodies[name]);
              }}
            />
          </div>
        )}
        {parameters.map(({ name, isRequired }) => (
          <Field
            key={name}
            id={`try-${id}-${name}`}
            label={name}
            name={name}
            required={isRequired}
            autoComplete="off"
            spellCheck={false}
            value={values[name] ?? ""}
            onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
            hint={HINTS[name]}
            className="font-mono"
          />
        ))}
        {body === undefined ? null : (
          <TextArea
            id={`try-${id}-body`}
            label="Body"
            name="body"
            rows={Math.min(16, body.split("\n").length + 1)}
            spellCheck={false}
            value={body}
            onChange={({ currentTarget }) => change(currentTarget.value)}
            className="font-mono text-sm"
          />
        )}
        <div>
          <Button type="submit" aria-disabled={isBusy}>
            {isBusy ? "Sending…" : method === "GET" ? "Send request" : "Send test message"}
          </Button>
        </div>
      </form>
      <div role="alert" className="empty:hidden">
        {failure ? <Notice tone="bad">{failure}</Notice> : null}
      </div>
      <TrialResponse answer={answer} />
    </div>
  );
}

const HINTS: Record<string, string | undefined> = {
  [KEY]: "Send again unchanged for a replay. A changed body gets a new key.",
  messageId: "Send a message above, and its id is here.",
  cursor: "nextCursor of the page before.",
};

/** What to do where no response came. */
const SAFE: Record<string, string> = {
  GET: "Try again.",
  POST: "Send again unchanged: with the same key a message is never sent twice.",
};

/** Not `randomUUID`, which plain http does not have. */
const newKey = (): string =>
  `try-${[...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
