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
import { issuesOf } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import type { Mode } from "@/lib/core/principal";
import { withQuery } from "@/lib/core/query-string";
import { recipientOf, TEST_RECIPIENT } from "@/lib/docs/first-call";
import { jsonText } from "@/lib/docs/literals";
import type { Caller } from "@/lib/docs/snippets";
import { type SendForm as CallForm, formsOf, SEND_FORMS, templateFilling } from "@/lib/docs/template-send";
import { fromDraftBody, type SendDraft, toDraftBody } from "@/lib/messages/send/send-draft";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { TemplatePreview } from "../templates/_components/template-preview";
import { AnswerPanel, type Call, type Ending, lookUp, post } from "./answer-panel";
import { DraftFields, type NamedContact, type SendingLine, SendRoute } from "./draft-fields";

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
  const { mode, lines, templates, isTemplateFixed = false, canSend, page } = props;
  const { contact, caller, sentId, children } = props;
  const workspaceId = useWorkspaceId();
  const router = useRouter();
  const empty = emptyDraft(mode, lines, templates);
  const given = props.given && withDefaults(props.given, empty);
  const [draft, setDraft] = useState<SendDraft>(() => (given && fromDraftBody(given, empty)) ?? empty);
  const isShowable = given === undefined || fromDraftBody(given, empty) !== undefined;
  const [view, setView] = useState<"form" | "json">(isShowable ? "form" : "json");
  const [json, setJson] = useState(() => jsonText(given ?? toDraftBody(empty)));
  const [callForm, setCallForm] = useState<CallForm>("variables");
  const [note, setNote] = useState("");
  const [key, setKey] = useState(props.idempotencyKey);
  const [isBusy, setIsBusy] = useState(false);
  const [ending, setEnding] = useState<Ending>();

  const chosen = templates.find(
    ({ name, language }) => name === draft.template.name && language === draft.template.language,
  );
  const filled = view === "form" && draft.type === "template" ? chosen : undefined;
  const forms = chosen ? formsOf(chosen) : [];
  const form = forms.includes(callForm) ? callForm : (forms[0] ?? "variables");
  const written: Written =
    draft.type === "template" && chosen ? fill(draft, chosen, form) : { body: toDraftBody(draft) };
  const typed = view === "form" ? undefined : readJson(json);
  const fault = typed && "fault" in typed ? typed.fault : undefined;
  const { body } = typed && "body" in typed ? typed : written;
  const refused = ending && "answer" in ending ? ending.answer.issues : {};
  const turnTo = (next: "form" | "json") => {
    setNote("");
    if (next === view) return;
    const text = jsonText(written.body);
    if (next === "json") setJson(text);
    else if (json !== text) {
      const read = fault === undefined ? fromDraftBody(body, draft) : undefined;
      if (!read) return setNote("The form cannot show all of this JSON, so it stays as it is.");
      setDraft(read);
    }
    setView(next);
  };
  const addressOf = (sent?: string) => withQuery(page.path, { sent, ...page.query });
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
    // A final refusal uses up its key. After a 502 the same key can still send the message.
    if (status === 201 || (status === 400 && messageId !== null)) setKey(newIdempotencyKey("dashboard"));
    if (messageId !== null) show(messageId);
  };
  const checkStatus = async (call: Call) => {
    setIsBusy(true);
    const found = await lookUp(workspaceId, mode, call.idempotencyKey);
    setIsBusy(false);
    setEnding({ unanswered: call, ...found });
    if (found.messageId === undefined) return;
    // The key belongs to that message from now on.
    setKey((before) => (before === call.idempotencyKey ? newIdempotencyKey("dashboard") : before));
    show(found.messageId);
  };
  // During a send, and after one without an answer, an older message could be taken for it.
  const shownId = ending === undefined ? (isBusy ? undefined : sentId) : idOf(ending);

  // Beside the form where no preview is.
  const call = (
    <section aria-labelledby="call" className="grid gap-3">
      <h2 id="call" className="font-semibold">
        API call
      </h2>
      <CallSnippets
        label="POST /api/v1/public/messages/send"
        caller={caller}
        call={{
          method: "POST",
          path: "/messages/send",
          body: isRecord(body) && body.phone === "" ? { ...body, phone: recipientOf(mode) } : body,
          // The call of a template is tried with other values, which one key would refuse.
          ...(isTemplateFixed ? {} : { idempotencyKey: key }),
        }}
      >
        {filled ? (
          <Choice
            label="Form of the call"
            options={Object.fromEntries(forms.map((one) => [one, SEND_FORMS[one]]))}
            value={form}
            onChange={setCallForm}
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
          {view === "form" ? (
            <DraftFields
              mode={mode}
              lines={lines}
              templates={templates}
              chosen={chosen}
              isTemplateFixed={isTemplateFixed}
              draft={draft}
              onChange={setDraft}
            />
          ) : (
            <TextArea
              label="Body of the call"
              name="body"
              rows={14}
              spellCheck={false}
              className="font-mono text-sm"
              value={json}
              onText={setJson}
              hint={fault}
            />
          )}
        </FieldIssues>
        {canSend ? (
          <>
            <div className="grid items-end gap-2 sm:grid-cols-[minmax(0,1fr)_max-content]">
              <Field label="Idempotency key" name="idempotencyKey" value={key} onText={setKey} className="font-mono" />
              <Button
                look="secondary"
                onClick={() => setKey(newIdempotencyKey("dashboard"))}
                className="justify-self-start"
              >
                New key
              </Button>
            </div>
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
        {canSend ? <AnswerPanel ending={ending} isBusy={isBusy} onReplay={send} onLookUp={checkStatus} /> : null}
        {sentId !== undefined && sentId === shownId ? children : null}
        {filled ? null : call}
      </div>
      {filled ? call : null}
    </div>
  );
}

const idOf = (ending: Ending): string | undefined =>
  "answer" in ending ? (ending.answer.messageId ?? undefined) : ending.messageId;

function emptyDraft(mode: Mode, lines: Props["lines"], templates: readonly TemplateDefinition[]): SendDraft {
  const [template] = templates;
  return {
    phone: mode === "test" ? TEST_RECIPIENT : "",
    phoneNumberId: lines.length > 1 ? (lines[0]?.id ?? "") : "",
    type: "text",
    text: "Your order is ready.",
    interactive:
      '{"type":"button","body":"Is this time all right?","buttons":[{"id":"yes","title":"Yes"},{"id":"no","title":"No"}]}',
    template: { name: template?.name ?? "", language: template?.language ?? "" },
    values: template ? Object.fromEntries(withSamples(template, new Map())) : {},
  };
}

/** A body that a link brought, with the recipient and the line that it leaves open. */
const withDefaults = (body: Record<string, unknown>, { phone, phoneNumberId }: SendDraft): Record<string, unknown> => ({
  ...("contactId" in body ? {} : { phone }),
  ...(phoneNumberId === "" ? {} : { phoneNumberId }),
  ...body,
});

/** `issues` and `refusal` are what the API would say of it. */
type Written = { body: unknown; issues?: Record<string, string>; refusal?: string };

/** Values that the API would refuse are sent as variables, so that its answer can be seen. */
function fill(draft: SendDraft, definition: TemplateDefinition, form: CallForm): Written {
  const { templateVariables, ...rest } = toDraftBody(draft);
  const values = new Map(Object.entries(draft.values).filter(([, value]) => value !== ""));
  try {
    return { body: { ...rest, ...templateFilling({ definition, values }, form) } };
  } catch (error) {
    return {
      body: { ...rest, templateVariables },
      issues: Object.fromEntries(issuesOf(error).map(({ path, message }) => [path, message])),
      refusal: `The API would refuse this. ${error instanceof Error ? error.message : ""}`,
    };
  }
}

const FORM_NOTES: Record<CallForm, string> = {
  variables: "One string for each key; nothing is sent for the rest. Recommended.",
  components:
    "WhatsApp’s own form, passed on unchanged: `index` counts the template’s buttons from 0, `card_index` its cards, and the language must be exactly this one. A card’s picture goes by the `id` of media that you uploaded to WhatsApp.",
  carousel: "The cards one by one. `index` counts cards, and within a card its buttons, from 0.",
};

function readJson(json: string): { body: unknown } | { fault: string } {
  try {
    return { body: JSON.parse(json) };
  } catch (error) {
    return { fault: `Invalid JSON: ${error instanceof Error ? error.message : "it cannot be read"}.` };
  }
}
