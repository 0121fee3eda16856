"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { FieldIssues } from "@/app/_components/action-form";
import { Button } from "@/app/_components/button";
import { CallSnippets } from "@/app/_components/call-snippets";
import { Choice } from "@/app/_components/choice";
import { Field, TextArea } from "@/app/_components/field";
import type { Mode } from "@/db/schema/identity";
import { fromDraftBody, type SendDraft, toDraftBody } from "@/lib/messages/send-draft";
import { TEST_RECIPIENT } from "@/lib/snippets/recipient";
import { type Caller, jsonText } from "@/lib/snippets/snippets";
import { type Answer, AnswerPanel, type Call, post } from "./answer-panel";
import { DraftFields } from "./draft-fields";
import type { TemplateChoice } from "./prefill";

type Props = {
  workspaceId: string;
  mode: Mode;
  lines: { id: string; label: string }[];
  templates: TemplateChoice[];
  prefill: Record<string, unknown> | undefined;
  /** A first one; the browser makes those that follow. */
  idempotencyKey: string;
  caller: Caller;
  /** What became of what was sent. */
  children: ReactNode;
};

export function SendForm({ workspaceId, mode, lines, templates, prefill, caller, children, ...first }: Props) {
  const router = useRouter();
  const empty = emptyDraft(mode, lines, templates);
  const given = prefill && withDefaults(prefill, empty);
  const [draft, setDraft] = useState<SendDraft>(() => (given && fromDraftBody(given, empty)) ?? empty);
  const isShowable = given === undefined || fromDraftBody(given, empty) !== undefined;
  const [view, setView] = useState<"form" | "json">(isShowable ? "form" : "json");
  const [json, setJson] = useState(() => jsonText(given ?? toDraftBody(empty)));
  const [note, setNote] = useState("");
  const [key, setKey] = useState(first.idempotencyKey);
  const [isBusy, setIsBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();

  const parsed = view === "form" ? { body: toDraftBody(draft) } : readJson(json);
  const show = (next: "form" | "json") => {
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
  const send = async (call: Call) => {
    setIsBusy(true);
    const next = await post(`/api/v1/workspaces/${workspaceId}/messages/send?mode=${mode}`, call);
    setIsBusy(false);
    setAnswer(next);
    // A final refusal has bound its key for good; after a 502 the same key may still be what brings the message out.
    if (next.status === 201 || (next.status === 400 && next.messageId !== null)) setKey(newKey());
    if (next.messageId !== null) router.replace(`/dashboard/send?sent=${next.messageId}`, { scroll: false });
  };

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
          <Choice label="Written as" options={{ form: "Form", json: "JSON" }} value={view} onChange={show} />
        </div>
        <p role="status" className="text-sm text-caution empty:hidden">
          {note}
        </p>
        <FieldIssues issues={answer?.issues ?? {}}>
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
        <div>
          <Button type="submit" aria-disabled={isBusy || "fault" in parsed}>
            {isBusy ? "Sending…" : "Send"}
          </Button>
        </div>
      </form>
      <div className="grid min-w-0 gap-6 xl:col-start-2 xl:row-span-2 xl:row-start-1">
        <AnswerPanel answer={answer} isBusy={isBusy} onReplay={send} />
        {children}
      </div>
      <section aria-labelledby="call">
        <h2 id="call" className="mb-2 font-semibold">
          The same call from your program
        </h2>
        <CallSnippets
          label="POST /api/v1/public/messages/send"
          caller={caller}
          call={{
            ...{ method: "POST", path: "/messages/send", idempotencyKey: key },
            body: "body" in parsed ? parsed.body : toDraftBody(draft),
          }}
        />
      </section>
    </div>
  );
}

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
  `test-${[...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
