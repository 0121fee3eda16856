import { useReducer } from "react";
import { issuesOf } from "@/lib/core/app-error";
import type { Mode } from "@/lib/core/principal";
import { TEST_RECIPIENT } from "@/lib/docs/first-call";
import { jsonText } from "@/lib/docs/literals";
import { type SendForm as CallForm, formsOf, templateFilling } from "@/lib/docs/template-send";
import { fromDraftBody, type SendDraft, toDraftBody } from "@/lib/messages/send/send-draft";
import type { TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import type { SendingLine } from "./draft-fields";

type Given = {
  mode: Mode;
  lines: SendingLine[];
  templates: TemplateDefinition[];
  /** A body that the form begins with. */
  given: Record<string, unknown> | undefined;
};

type State = { draft: SendDraft; view: "form" | "json"; json: string; callForm: CallForm; note: string };

function firstState({ mode, lines, templates, given }: Given): State {
  const empty = emptyDraft(mode, lines, templates);
  const body = given && withDefaults(given, empty);
  const read = body && fromDraftBody(body, empty);
  return {
    draft: read ?? empty,
    view: body === undefined || read ? "form" : "json",
    json: jsonText(body ?? toDraftBody(empty)),
    callForm: "variables",
    note: "",
  };
}

function changed(state: State, change: Partial<State>): State {
  return { ...state, ...change };
}

/** What the member writes, as a form or as JSON, and the body that it makes. */
export function useDraft(props: Given) {
  const [state, change] = useReducer(changed, props, firstState);
  const { draft, view, json, callForm } = state;
  const chosen = props.templates.find(
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
  /** The change that shows the draft in the other view. */
  function turnedTo(next: State["view"]): Partial<State> {
    const text = jsonText(written.body);
    if (next === view) return {};
    if (next === "json") return { view: next, json: text };
    if (json === text) return { view: next };
    const read = fault === undefined ? fromDraftBody(body, draft) : undefined;
    return read
      ? { view: next, draft: read }
      : { note: "The form cannot show all of this JSON, so it stays as it is." };
  }
  const turnTo = (next: State["view"]) => change({ note: "", ...turnedTo(next) });
  return { ...state, chosen, filled, forms, form, written, fault, body, change, turnTo };
}

function emptyDraft(mode: Mode, lines: readonly SendingLine[], templates: readonly TemplateDefinition[]): SendDraft {
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

function readJson(json: string): { body: unknown } | { fault: string } {
  try {
    return { body: JSON.parse(json) };
  } catch (error) {
    return { fault: `Invalid JSON: ${error instanceof Error ? error.message : "it cannot be read"}.` };
  }
}
