"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { newIdempotencyKey } from "@/app/_components/api-call";
import { Button } from "@/app/_components/button";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Choice } from "@/app/_components/choice";
import { Field, FieldIssues, TextArea } from "@/app/_components/form";
import { useWorkspaceId } from "@/app/_components/link";
import { InlineCode } from "@/app/_components/text";
import { isRecord } from "@/lib/core/json";
import type { Mode } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { recipientOf } from "@/lib/docs/first-call";
import type { Caller } from "@/lib/docs/snippets";
import { type SendForm as CallForm, SEND_FORMS } from "@/lib/docs/template-send";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { TemplatePreview } from "../templates/_components/template-preview";
import { AnswerPanel, type Call, type Ending, lookUp, post } from "./answer-panel";
import { DraftFields, type NamedContact, type SendingLine, SendRoute } from "./draft-fields";
import { useDraft } from "./use-draft";

type Props = {
  mode: Mode;
  /** Active ones; the first is chosen. */
  lines: SendingLine[];
  templates: TemplateDefinition[];
  /** The form sends only the one template, which cannot be changed. */
  isTemplateFixed?: boolean;
  /** If false, the form only shows the call. */
  canSend: boolean;
  /** A body that the form begins with. */
  given: Record<string, unknown> | undefined;
  /** The page's own address; after a send also with `sent`. */
  page: { path: string; query: Record<string, string | undefined> };
  contact: NamedContact | undefined;
  /** The first one; the browser makes the next ones. */
  idempotencyKey: string;
  caller: Caller;
  /** The message that `children` show, if any. */
  sentId: string | undefined;
  /** The status and timeline of what was sent. */
  children: ReactNode;
};

export function SendForm(props: Props) {
  const { mode, lines, canSend, contact, sentId } = props;
  const drafted = useDraft(props);
  const { draft, view, note, filled, written, body, fault, turnTo } = drafted;
  const { key, isBusy, ending, setKey, send, lookUpAgain } = useSending(props);
  const refused = ending && "answer" in ending ? ending.answer.issues : {};
  // During a send, and after one without an answer, an older message could be taken for it.
  const shownId = ending === undefined ? (isBusy ? undefined : sentId) : idOf(ending);
  // Beside the form where no preview is.
  const call = <DraftedCall props={props} draft={drafted} idempotencyKey={key} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 xl:grid-cols-2 xl:grid-rows-[auto_1fr]">
      <form
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSend && fault === undefined && !isBusy) send({ body, idempotencyKey: key });
        }}
        className="grid gap-4"
      >
        <div>
          <Choice label="Written as" options={{ form: "Form", json: "JSON" }} value={view} onChange={turnTo} />
        </div>
        <p role="status" className="text-sm text-caution empty:hidden">
          {note}
        </p>
        <FieldIssues issues={{ ...(filled && written.issues), ...refused }}>
          <DraftedBody props={props} draft={drafted} />
        </FieldIssues>
        {canSend ? (
          <>
            <KeyField value={key} onKey={setKey} />
            <SendRoute
              id="route"
              mode={mode}
              lines={lines}
              contact={contact}
              body={fault === undefined ? body : undefined}
            />
            <Button
              className="justify-self-start"
              type="submit"
              aria-disabled={isBusy || fault !== undefined}
              aria-describedby="route"
            >
              {isBusy ? "Sending…" : `Send ${mode} message`}
            </Button>
          </>
        ) : null}
      </form>
      <div
        className={`grid min-w-0 gap-6 xl:col-start-2 xl:row-span-2 xl:row-start-1 ${ending ? "" : "xl:sticky xl:top-20"}`}
      >
        {filled ? <TemplatePreview definition={filled} values={new Map(Object.entries(draft.values))} /> : null}
        {canSend ? <AnswerPanel ending={ending} isBusy={isBusy} onReplay={send} onLookUp={lookUpAgain} /> : null}
        {sentId !== undefined && sentId === shownId ? props.children : null}
        {filled ? null : call}
      </div>
      {filled ? call : null}
    </div>
  );
}

type DraftedProps = { props: Props; draft: ReturnType<typeof useDraft> };

function DraftedBody({ props, draft: { draft, json, view, chosen, fault, change } }: DraftedProps) {
  if (view === "json") {
    return (
      <TextArea
        label="Body of the call"
        name="body"
        rows={14}
        spellCheck={false}
        className="font-mono text-sm"
        value={json}
        onText={(text) => change({ json: text })}
        hint={fault}
      />
    );
  }
  const { mode, lines, templates, isTemplateFixed = false } = props;
  return (
    <DraftFields
      mode={mode}
      lines={lines}
      templates={templates}
      chosen={chosen}
      isTemplateFixed={isTemplateFixed}
      draft={draft}
      onChange={(next) => change({ draft: next })}
    />
  );
}

/** One send at a time, and the key of the next. */
function useSending({ mode, page, idempotencyKey }: Props) {
  const workspaceId = useWorkspaceId();
  const router = useRouter();
  const [key, setKey] = useState(idempotencyKey);
  const [isBusy, setIsBusy] = useState(false);
  const [ending, setEnding] = useState<Ending>();
  const addressOf = (sent?: string) => withQuery(page.path, { sent, ...page.query });
  const show = (messageId: string) => router.replace(addressOf(messageId), { scroll: false });
  async function send(call: Call): Promise<void> {
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
    // A final refusal uses up its key. After a 502 the same key can still send the message.
    if (status === 201 || (status === 400 && messageId !== null)) setKey(newIdempotencyKey("dashboard"));
    if (messageId !== null) show(messageId);
  }
  async function lookUpAgain(call: Call): Promise<void> {
    setIsBusy(true);
    const found = await lookUp(workspaceId, mode, call.idempotencyKey);
    setIsBusy(false);
    setEnding({ unanswered: call, ...found });
    if (found.messageId === undefined) return;
    // The key belongs to that message from now on.
    setKey((before) => (before === call.idempotencyKey ? newIdempotencyKey("dashboard") : before));
    show(found.messageId);
  }
  return { key, isBusy, ending, setKey, send, lookUpAgain };
}

function KeyField({ value, onKey }: { value: string; onKey: (key: string) => void }) {
  return (
    <div className="grid items-end gap-2 sm:grid-cols-[minmax(0,1fr)_max-content]">
      <Field label="Idempotency key" name="idempotencyKey" value={value} onText={onKey} className="font-mono" />
      <Button look="secondary" onClick={() => onKey(newIdempotencyKey("dashboard"))} className="justify-self-start">
        New key
      </Button>
    </div>
  );
}

/** The call of a template is tried with other values, which are other messages: another body has another key. */
function useKeyOf(body: unknown, first: string): string {
  const text = JSON.stringify(body);
  const [made, setMade] = useState({ text, key: first });
  if (made.text === text) return made.key;
  const next = { text, key: newIdempotencyKey("dashboard") };
  setMade(next);
  return next.key;
}

function DraftedCall({ props, draft, idempotencyKey }: DraftedProps & { idempotencyKey: string }) {
  const { body, filled, forms, form, written, change } = draft;
  const ownKey = useKeyOf(body, idempotencyKey);
  return (
    <section aria-labelledby="call" className="grid gap-3">
      <h2 id="call" className="font-semibold">
        API call
      </h2>
      <CallSnippets
        label="POST /api/v1/public/messages/send"
        caller={props.caller}
        call={{
          method: "POST",
          path: "/messages/send",
          body: isRecord(body) && body.phone === "" ? { ...body, phone: recipientOf(props.mode) } : body,
          idempotencyKey: props.isTemplateFixed ? ownKey : idempotencyKey,
        }}
      >
        {filled ? (
          <Choice
            label="Form of the call"
            options={Object.fromEntries(forms.map((one) => [one, SEND_FORMS[one]]))}
            value={form}
            onChange={(callForm) => change({ callForm })}
          />
        ) : null}
      </CallSnippets>
      {filled ? (
        <p className="text-sm text-muted">
          <InlineCode text={written.refusal ?? FORM_NOTES[form]} />
        </p>
      ) : null}
    </section>
  );
}

const idOf = (ending: Ending): string | undefined =>
  "answer" in ending ? (ending.answer.messageId ?? undefined) : ending.messageId;

const FORM_NOTES: Record<CallForm, string> = {
  variables: "One string for each key; nothing is sent for the rest. Recommended.",
  components:
    "WhatsApp’s own form, passed on unchanged: `index` counts the template’s buttons from 0, `card_index` its cards, and the language must be exactly this one. A card’s picture goes by the `id` of media that you uploaded to WhatsApp.",
  carousel: "The cards one by one. `index` counts cards, and within a card its buttons, from 0.",
};
