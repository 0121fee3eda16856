import { processWide } from "@/lib/core/process-wide";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { readDefinition, type TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { listVariables } from "@/lib/templates/variable-keys";
import { GET_MESSAGE, LIST_TEMPLATES, SEND_TEMPLATE, SEND_TEXT } from "./calls";
import type { ApiCall } from "./snippets";
import { formsOf, type SendForm, templateSendBody } from "./template-send";

/** `label` is the caption of its code blocks. */
export type ShownCall = { name: string; form?: SendForm; label: string; call: ApiCall };

/** Every call that the docs show. */
export function shownCalls(origin: string): ShownCall[] {
  return processWide(`shownCalls ${origin}`, () => [...GENERAL, ...templateCalls(origin)]);
}

const GENERAL: ShownCall[] = [
  { name: "send-text", label: "POST /api/v1/public/messages/send", call: SEND_TEXT },
  { name: "get-message", label: "GET /api/v1/public/messages/:messageId", call: GET_MESSAGE },
  { name: "list-templates", label: "GET /api/v1/public/templates", call: LIST_TEMPLATES },
  { name: "send-template", label: "POST /api/v1/public/messages/send, with a template", call: SEND_TEMPLATE },
];

const SHOWN = ["order_ready", "test_carousel"];

/** Each shown template in each of the ways to fill it, as a template's own page in the dashboard would write the call. */
const templateCalls = (origin: string): ShownCall[] =>
  SHOWN.flatMap((name) => {
    const definition = definitionOf(name);
    return formsOf(definition).map((form) => ({
      name,
      form,
      label: `${name}, by ${form}`,
      call: callOf(definition, form, origin),
    }));
  });

const definitionOf = (name: string): TemplateDefinition => {
  const found = FIXTURE_TEMPLATES.find((template) => template.name === name);
  if (!found) throw new Error(`no fixture template ${name}`);
  const { components, parameter_format: parameterFormat = "POSITIONAL" } = found;
  return readDefinition({ ...found, parameterFormat, components: [...components] });
};

const callOf = (definition: TemplateDefinition, form: SendForm, origin: string): ApiCall => {
  const variables = listVariables(definition);
  // Pictures that can be fetched: the samples of the fixtures cannot.
  const links = variables
    .filter(({ key }) => key.endsWith("header_link"))
    .map(({ key }, index): [string, string] => [key, `${origin}/samples/${PICTURES[index % PICTURES.length]}.png`]);
  const values = withSamples(definition, new Map(links));
  const body = templateSendBody({ definition, values, phone: "447700900003", phoneNumberId: null }, form);
  return { method: "POST", path: "/messages/send", idempotencyKey: `${definition.name}-by-${form}`, body };
};

const PICTURES = ["lamp", "chair", "table"];
