"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { FieldIssues } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Choice } from "@/app/_components/choice";
import { Field, TextArea } from "@/app/_components/field";
import type { Mode } from "@/db/schema/identity";
import { withQuery } from "@/lib/core/query-string";
import { TEST_RECIPIENT } from "@/lib/docs/example-recipient";
import { jsonText } from "@/lib/docs/literals";
import type { Caller } from "@/lib/docs/snippets";
import { fromDraftBody, type SendDraft, toDraftBody } from "@/lib/messages/send-draft";
import { AnswerPanel, type Ending } from "./answer-panel";
import { type Call, lookUp, post } from "./ask-server";
import { DraftFields } from "./draft-fields";
import type { TemplateChoice } from "./prefill";
import { type NamedContact, type SendingLine, SendRoute } from "./send-route";

type Props = {
  workspaceId: string;
  mode: Mode;
  lines: SendingLine[];
  templates: TemplateChoice[];
  /** The message or template that the form was opened with; it stays in the address after `prefill` has gone from it. */
  formId: string | undefined;
  prefill: Record<string, unknown> | undefined;
  contact: NamedContact | undefined;
  /** A first one; the browser makes those that follow. */
  idempotencyKey: string;
  caller: Caller;
  /** The message that `children` show, if any. */
  sentId: string | undefined;
  /** The status and timeline of what was sent. */
  children: ReactNode;
};

export function SendForm(props: Props) {
  const { workspaceId, mode, lines, templates, formId, prefill, contact, caller, sentId, children } = props;
  const router = useRouter();
  const empty = emptyDraft(mode, lines, templates);
  const given = prefill && withDefaults(prefill, empty);
  const [draft, setDraft] = useState<SendDraft>(() => (given && fromDraftBody(given, empty)) ?? empty);
  const isShowable = given === undefined || fromDraftBody(given, empty) !== undefined;
  const [view, setView] = useState<"form" | "json">(isShowable ? "form" : "json");
  const [json, setJson] = useState(() => jsonText(given ?? toDraftBody(empty)));
  const [note, setNote] = useState("");
  const [key, setKey] = useState(props.idempotencyKey);
  const [isBusy, setIsBusy] = useState(false);
  const [ending, setEnding] = useState<Ending>();

  const parsed = view === "form" ? { body: toDraftBody(draft) } : readJson(json);
  const turnTo = (next: "form" | "json") => {
    setNote("");
    if (next === view) return;
    if (next === "json") setJson(jsonText(toDraftBody(draft)));
    else {
      const read = "body" in parsed ? fromDraftBody(parsed.body, draft) : undefined;
      if (!read) return setNote("The form cannot show all of this JSON, so it stays as it is.");
      setDraft(read);
    }
    setView(next);
  };
  const addressOf = (sent?: string) => withQuery("/dashboard/send", { sent, from: formId, mode });
  const show = (messageId: string) => router.replace(addressOf(messageId), { scroll: false });
  const send = async (call: Call) => {
    setIsBusy(true);
    setEnding(undefined);
    const answer = await post(workspaceId, mode, call);
    setIsBusy(false);
    if (!answer) {
      setEnding({ unanswered: call });
      // Without the router, which would look for the page on a server that does not answer.
      return window.history.replaceState(null, "", addressOf());
    }
    setEnding({ answer });
    const { status, messageId } = answer;
    // A final refusal has bound its key for good; after a 502 the same key may still be what brings the message out.
    if (status === 201 || (status === 400 && messageId !== null)) setKey(newKey());
    if (messageId !== null) show(messageId);
  };
  const checkStatus = async (call: Call) => {
    setIsBusy(true);
    const found = await lookUp(workspaceId, mode, call.idempotencyKey);
    setIsBusy(false);
    setEnding({ unanswered: call, ...found });
    if (found.messageId === undefined) return;
    // The key belongs to that message from now on.
    setKey((before) => (before === call.idempotencyKey ? newKey() : before));
    show(found.messageId);
  };
  // While a send is on its way, and after one without an answer, an older message would pass for it.
  const shownId = ending === undefined ? (isBusy ? undefined : sentId) : idOf(ending);

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-2 xl:grid-rows-[auto_1fr]">
      <form
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          if ("body" in parsed && !isBusy) send({ body: parsed.body, idempotencyKey: key });
        }}
        className="grid gap-4 rounded-card border border-hairline p-4 sm:p-5"
      >
        <div>
          <Choice label="Written as" options={{ form: "Form", json: "JSON" }} value={view} onChange={turnTo} />
        </div>
        <p role="status" className="text-sm text-caution empty:hidden">
          {note}
        </p>
        <FieldIssues issues={ending && "answer" in ending ? ending.answer.issues : {}}>
          {view === "form" ? (
            <DraftFields mode={mode} lines={lines} templates={templates} draft={draft} onChange={setDraft} />
          ) : (
            <TextArea
              label="Body of the call"
              name="body"
              rows={14}
              spellCheck={false}
              className="font-mono text-sm"
              value={json}
              onChange={(event) => setJson(event.target.value)}
              hint={"fault" in parsed ? parsed.fault : undefined}
            />
          )}
        </FieldIssues>
        <div className="grid items-end gap-2 sm:grid-cols-[minmax(0,1fr)_max-content]">
          <Field
            label="Idempotency key"
            name="idempotencyKey"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            className="font-mono"
          />
          <Button look="secondary" onClick={() => setKey(newKey())} className="justify-self-start">
            New key
          </Button>
        </div>
        <SendRoute
          id="route"
          mode={mode}
          lines={lines}
          contact={contact}
          body={"body" in parsed ? parsed.body : undefined}
        />
        <div>
          <Button type="submit" aria-disabled={isBusy || "fault" in parsed} aria-describedby="route">
            {isBusy ? "Sending…" : SEND[mode]}
          </Button>
        </div>
      </form>
      <div className="grid min-w-0 gap-6 xl:col-start-2 xl:row-span-2 xl:row-start-1">
        <AnswerPanel ending={ending} isBusy={isBusy} onReplay={send} onLookUp={checkStatus} />
        {sentId !== undefined && sentId === shownId ? children : null}
      </div>
      <section aria-labelledby="call">
        <h2 id="call" className="mb-2 font-semibold">
          The same call from your program
        </h2>
        <CallSnippets
          label="POST /api/v1/public/messages/send"
          caller={caller}
          call={{
            method: "POST",
            path: "/messages/send",
            idempotencyKey: key,
            body: "body" in parsed ? parsed.body : toDraftBody(draft),
          }}
        />
      </section>
    </div>
  );
}

const SEND: Record<Mode, string> = { live: "Send live message", test: "Send test message" };

const idOf = (ending: Ending): string | undefined =>
  "answer" in ending ? (ending.answer.messageId ?? undefined) : ending.messageId;

const emptyDraft = (mode: Mode, lines: Props["lines"], templates: readonly TemplateChoice[]): SendDraft => {
  const [template] = templates;
  return {
    phone: mode === "test" ? TEST_RECIPIENT : "",
    phoneNumberId: lines.length > 1 ? (lines[0]?.id ?? "") : "",
    type: "text",
    text: "Your order is ready.",
    interactive:
      '{"type":"button","body":"Is this time all right?","buttons":[{"id":"yes","title":"Yes"},{"id":"no","title":"No"}]}',
    template: { name: template?.name ?? "", language: template?.language ?? "" },
    values: samplesOf(template),
  };
};

/** A body that a link brought, with the recipient and the line that it leaves open. */
const withDefaults = (body: Record<string, unknown>, { phone, phoneNumberId }: SendDraft): Record<string, unknown> => ({
  ...("contactId" in body ? {} : { phone }),
  ...(phoneNumberId === "" ? {} : { phoneNumberId }),
  ...body,
});

const samplesOf = (template: TemplateChoice | undefined) =>
  Object.fromEntries(
    (template?.variables ?? []).flatMap(({ key, sample, required }) => (required ? [[key, sample]] : [])),
  );

const readJson = (json: string): { body: unknown } | { fault: string } => {
  try {
    return { body: JSON.parse(json) };
  } catch (error) {
    return { fault: `Not JSON yet: ${error instanceof Error ? error.message : "it cannot be read"}.` };
  }
};

/** Not `randomUUID`, which plain http does not have. */
const newKey = () =>
  `dashboard-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
