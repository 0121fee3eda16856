"use client";

import { useState, useSyncExternalStore } from "react";
import { newIdempotencyKey, statusText } from "@/app/_components/api-call";
import { Button } from "@/app/_components/button";
import { Choice, pageValue } from "@/app/_components/choice";
import { CodeBlock, CodeText } from "@/app/_components/code-block";
import { Field, TextArea } from "@/app/_components/form";
import { TextLink } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { sentenceCase } from "@/lib/core/text";
import { jsonTokens } from "@/lib/docs/code-tokens";
import { type Endpoint, NoTrialKey, type TrialAnswer, tryCall } from "./trial-call";

const KEY = "Idempotency-Key";

/** The parameters and the body of a request, to be changed and sent. */
export function TrialForm({ endpoint, workspaceId }: { endpoint: Endpoint; workspaceId: string }) {
  const { id, method, parameters, bodies } = endpoint;
  const [type = ""] = Object.keys(bodies);
  const [chosen, setChosen] = useState(type);
  const { body, values, isBusy, answer, failure, send, change, type: typeIn } = useTrial(endpoint, workspaceId);

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
            spellCheck={false}
            value={values[name] ?? ""}
            onText={(text) => typeIn(name, text)}
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
            onText={change}
            className="font-mono text-sm"
          />
        )}
        <Button className="justify-self-start" type="submit" aria-disabled={isBusy}>
          {isBusy ? "Sending…" : method === "GET" ? "Send request" : "Send test message"}
        </Button>
      </form>
      <div role="alert" className="empty:hidden">
        {failure ? <Notice tone="bad">{failure}</Notice> : null}
      </div>
      <TrialResponse answer={answer} endpoint={endpoint} />
    </div>
  );
}

/** One call at a time, and what came of it. */
function useTrial(endpoint: Endpoint, workspaceId: string) {
  const [body, setBody] = useState(Object.values(endpoint.bodies)[0]);
  const [typed, setTyped] = useState<Record<string, string>>(() => ({ [KEY]: newIdempotencyKey("try") }));
  const [isBusy, setIsBusy] = useState(false);
  const [answer, setAnswer] = useState<TrialAnswer>();
  const [failure, setFailure] = useState("");
  const lastMessageId = useSyncExternalStore(lastMessage.subscribe, lastMessage.get, () => "");
  const values: Record<string, string> = { messageId: lastMessageId, ...typed };

  const send = async () => {
    if (isBusy) return;
    setIsBusy(true);
    setFailure("");
    try {
      const said = await tryCall(workspaceId, endpoint, { values, body });
      setAnswer(said);
      if (said.messageId !== null) lastMessage.set(said.messageId);
    } catch (error) {
      setAnswer(undefined);
      setFailure(error instanceof NoTrialKey ? error.message : `No response came. ${SAFE[endpoint.method] ?? ""}`);
    } finally {
      setIsBusy(false);
    }
  };

  /** Another message: sent again unchanged it would be a replay, and a changed body under one key is refused. */
  const change = (text: string | undefined) => {
    setBody(text);
    if (isBusy || answer || failure) setTyped((before) => ({ ...before, [KEY]: newIdempotencyKey("try") }));
    setAnswer(undefined);
    setFailure("");
  };

  const type = (name: string, text: string) => setTyped({ ...typed, [name]: text });
  return { body, values, isBusy, answer, failure, send, change, type };
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

/** Those that the reference describes. */
const headersOf = ({ headers }: TrialAnswer, endpoint: Endpoint): [name: string, value: string][] =>
  endpoint.headers.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });

/** A response as a program gets it: status, time, headers and body. */
function TrialResponse({ answer, endpoint }: { answer: TrialAnswer | undefined; endpoint: Endpoint }) {
  return (
    <div className="grid grid-cols-1 gap-3 empty:hidden">
      <p role="status" className="font-medium empty:sr-only">
        {answer ? (
          <>
            <span className={answer.status < 400 ? "text-good" : "text-bad"}>{statusText(answer.status)}</span>
            <span className="font-normal text-muted"> in {answer.ms} ms</span>
          </>
        ) : null}
      </p>
      {answer ? (
        <>
          <CodeBlock label="Response body" code={<CodeText tokens={jsonTokens(answer.text)} />} />
          <CodeBlock
            label="Response headers"
            code={headersOf(answer, endpoint).map(([name, value], index) => (
              <span key={name}>
                {index > 0 ? "\n" : ""}
                <span className="text-sent">{name}</span>: {value}
              </span>
            ))}
          />
          <p className="flex flex-wrap gap-x-4 gap-y-1">
            {answer.error ? <TextLink href={`/docs/errors/${answer.error}`}>What {answer.error} means</TextLink> : null}
            {answer.requestId ? (
              <TextLink href={`/dashboard/requests/${answer.requestId}`}>Open in the request log</TextLink>
            ) : null}
          </p>
        </>
      ) : null}
    </div>
  );
}

/** The id of the message that was sent or read last on this page, for the form that reads one. */
const lastMessage = pageValue(() => "");
