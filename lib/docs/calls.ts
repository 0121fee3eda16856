import type { Endpoint } from "@/lib/api/endpoint";
import { ENDPOINTS } from "@/lib/api/endpoints";
import { getMessageEndpoint } from "@/lib/api/endpoints/get-message";
import { listTemplatesEndpoint } from "@/lib/api/endpoints/list-templates";
import { sendMessageEndpoint } from "@/lib/api/endpoints/send-message";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { readDefinition, type TemplateDefinition } from "@/lib/templates/definition";
import { withSamples } from "@/lib/templates/sample-values";
import { listVariables } from "@/lib/templates/variable-keys";
import type { ApiCall } from "./snippets";
import { formsOf, type SendForm, templateSendBody } from "./template-send";

/** Returns an endpoint's example calls by message type; a single one has an empty name. */
export function callsOf({ method, path, examples }: Endpoint): Record<string, ApiCall> {
  // `{messageId}` is read from the environment, as $MESSAGE_ID.
  const shown = path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`);
  return Object.fromEntries(
    Object.entries(examples).map(([name, example]) => [name, { method, path: shown, ...example }]),
  );
}

/** The calls of each operation, by its name. */
export const CALLS_OF: Record<string, Record<string, ApiCall>> = Object.fromEntries(
  ENDPOINTS.map((endpoint) => [endpoint.id, callsOf(endpoint)]),
);

function callOf(endpoint: Endpoint, name = ""): ApiCall {
  const call = callsOf(endpoint)[name];
  if (!call) throw new Error(`${endpoint.id} has no example ${name}`);
  return call;
}

export const SEND_TEXT = callOf(sendMessageEndpoint, "text");

/** `label` is the caption of its code blocks. */
export type ShownCall = { name: string; form?: SendForm; label: string; call: ApiCall };

/** Every call that the docs show. */
export function shownCalls(origin: string): ShownCall[] {
  const calls = known.get(origin) ?? [...GENERAL, ...templateCalls(origin)];
  known.set(origin, calls);
  return calls;
}

const known = new Map<string, ShownCall[]>();

const GENERAL: ShownCall[] = [
  { name: "send-text", label: "POST /api/v1/public/messages/send", call: SEND_TEXT },
  { name: "get-message", label: "GET /api/v1/public/messages/:messageId", call: callOf(getMessageEndpoint) },
  { name: "list-templates", label: "GET /api/v1/public/templates", call: callOf(listTemplatesEndpoint) },
  {
    name: "send-template",
    label: "POST /api/v1/public/messages/send, with a template",
    call: callOf(sendMessageEndpoint, "template"),
  },
  {
    name: "send-interactive",
    label: "POST /api/v1/public/messages/send, interactive",
    call: callOf(sendMessageEndpoint, "interactive"),
  },
];

const SHOWN = ["order_ready", "test_carousel"];

/** Returns a call for each shown template and each way to fill it, as on the template's dashboard page. */
const templateCalls = (origin: string): ShownCall[] =>
  SHOWN.flatMap((name) => {
    const definition = definitionOf(name);
    return formsOf(definition).map((form) => ({
      name,
      form,
      label: `${name}, by ${form}`,
      call: templateCallOf(definition, form, origin),
    }));
  });

function definitionOf(name: string): TemplateDefinition {
  const found = FIXTURE_TEMPLATES.find((template) => template.name === name);
  if (!found) throw new Error(`no fixture template ${name}`);
  const { components, parameter_format: parameterFormat = "POSITIONAL" } = found;
  return readDefinition({ ...found, parameterFormat, components: [...components] });
}

function templateCallOf(definition: TemplateDefinition, form: SendForm, origin: string): ApiCall {
  const variables = listVariables(definition);
  // Pictures that can be fetched, unlike the fixtures' samples.
  const links = variables
    .filter(({ key }) => key.endsWith("header_link"))
    .map(({ key }, index): [string, string] => [key, `${origin}/samples/${PICTURES[index % PICTURES.length]}.png`]);
  const values = withSamples(definition, new Map(links));
  const body = templateSendBody(
    { definition, values, linkValues: linkValues(definition), phone: "447700900003" },
    form,
  );
  return { method: "POST", path: "/messages/send", idempotencyKey: `${definition.name}-by-${form}`, body };
}

/** The samples of the links that share a key with the body, where they differ from it. */
function linkValues({ body, buttons }: TemplateDefinition): Map<string, string> {
  const inBody = new Map(body?.slots.map(({ key, example }) => [key, example]));
  return new Map(
    buttons.flatMap((button) => {
      if (button.kind !== "url") return [];
      const { key, example } = button.slot;
      return example !== null && inBody.has(key) && inBody.get(key) !== example ? [[key, example]] : [];
    }),
  );
}

const PICTURES = ["lamp", "chair", "table"];
