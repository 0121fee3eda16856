import { z } from "zod";
import { type Issue, invalid, invalidAt, MAX_ISSUES } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/json";
import { readPhone } from "@/lib/core/phone";
import { characterCount, formatNumber, quote } from "@/lib/core/text";
import { issuesThrownBy, toIssues, unknownField } from "@/lib/http/issues";
import { parseJson } from "@/lib/http/json-text";
import { type KeyedCall, readIdempotencyKey } from "@/lib/http/request-headers";
import { readInteractive } from "@/lib/messages/send/interactive";
import type { SendContent, SendRequest, TemplateFilling } from "@/lib/messages/send-request";
import { checkGivenComponents } from "@/lib/templates/given-components";
import { MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import type { RequestBody } from "./endpoint";
import {
  type CommonField,
  FIELDS_OF_TYPE,
  isCommon,
  SEND_FIELD_NAMES,
  SEND_FIELDS,
  type SendField,
  type SendType,
  STATED,
  TYPED_FIELDS,
} from "./send-fields";

export type ParsedSend = {
  request: SendRequest;
  idempotencyKey: string | undefined;
  /** Fields that were given but have no effect beside `templateComponents`. */
  ignoredFields: SendField[];
};

/** Reads the body of a send. Throws one VALIDATION_ERROR with every fault. */
export function parseSendRequest(body: unknown, call: KeyedCall): ParsedSend {
  if (!isRecord(body)) {
    throw invalidAt("", "The body must be a JSON object.");
  }
  const { fields, issues } = readFields(body);
  let idempotencyKey: string | undefined;
  issues.push(
    ...issuesThrownBy(() => {
      idempotencyKey = readIdempotencyKey(call, fields.idempotencyKey);
    }),
  );

  const phone = fields.phone === undefined ? undefined : readPhone(fields.phone);
  if (phone && "fault" in phone) issues.push({ path: "phone", message: phone.fault });
  if (!isGiven(body, "phone") && !isGiven(body, "contactId")) {
    issues.push({ path: "phone", message: "is required. Send `phone` (country code and digits) or `contactId`." });
  }
  if (fields.type) issues.push(...misplacedFields(body, fields.type));

  const { content, ignoredFields } = readContent(body, fields, issues);
  if (issues.length > 0 || !content) throw invalid(issues.slice(0, MAX_ISSUES));
  return {
    request: {
      ...(phone && "phone" in phone ? { phone: phone.phone } : {}),
      ...asGiven(fields),
      revalidateFlowSession: fields.revalidateFlowSession ?? false,
      content,
    },
    idempotencyKey,
    ignoredFields,
  };
}

type Body = Record<string, unknown>;

const isSendField = (name: string): name is SendField => Object.hasOwn(SEND_FIELDS, name);

type Fields = { [Name in SendField]?: (typeof SEND_FIELDS)[Name]["_output"] };

/** Validates each field separately, so that all faults are reported; `null` means absent. */
function readFields(body: Body): { fields: Fields; issues: Issue[] } {
  const issues: Issue[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (!isSendField(name)) {
      if (issues.length >= MAX_ISSUES) continue;
      issues.push(unknownField(name, SEND_FIELD_NAMES));
    } else if (value !== null) {
      const read = SEND_FIELDS[name].safeParse(value, { reportInput: true });
      if (read.success) fields[name] = read.data;
      else issues.push(...explain(body, name, toIssues(read.error, [name], { schema: SEND_FIELDS[name], value })));
    }
  }
  if (!isGiven(body, "type"))
    issues.unshift({ path: "type", message: 'is required. Send "text", "template" or "interactive".' });
  return { fields, issues };
}

function explain(body: Body, name: SendField, issues: Issue[]): Issue[] {
  const value = body[name];
  if (name === "content" && typeof value === "object" && body.type === "text") {
    return [{ path: name, message: "must be the text itself, as a string." }];
  }
  if (name === "content" && typeof value === "object") {
    return [{ path: name, message: "must be a string that holds JSON, not an object. Send JSON.stringify(payload)." }];
  }
  if (name === "type" && typeof value === "string") {
    return issues.map((issue) => ({ ...issue, message: `${issue.message.replace(/\.$/, "")}, not ${quote(value)}.` }));
  }
  if (name === "phone" && typeof value === "number") {
    return [{ path: name, message: `must be a string of digits: "${value}".` }];
  }
  return issues;
}

const isGiven = (body: Body, name: SendField): boolean => (body[name] ?? null) !== null;

/** Common fields with a rule of their own. */
const RULED = ["type", "phone", "idempotencyKey", "revalidateFlowSession"] as const;
/** Common fields that a request holds as they were read; what it lacks, or the API, does not compile. */
type GivenField = Exclude<CommonField, (typeof RULED)[number]>;
type Held = Exclude<keyof SendRequest, "phone" | "revalidateFlowSession" | "content">;

const GIVEN_FIELDS = SEND_FIELD_NAMES.filter(
  (name): name is Held => isCommon(name) && !RULED.some((ruled) => ruled === name),
);

function asGiven(fields: Fields): Pick<SendRequest, GivenField> {
  const read = GIVEN_FIELDS.map((name) => [name, fields[name]] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function misplacedFields(body: Body, type: SendType): Issue[] {
  const own: readonly SendField[] = FIELDS_OF_TYPE[type];
  return TYPED_FIELDS.filter((name) => !own.includes(name) && isGiven(body, name)).map((name) => ({
    path: name,
    message: `cannot be used with type "${type}". Remove it, or change the type.`,
  }));
}

function readContent(
  body: Body,
  fields: Fields,
  issues: Issue[],
): { content?: SendContent; ignoredFields: SendField[] } {
  switch (fields.type) {
    case "text":
      issues.push(...checkText(body, fields.content));
      return { content: { type: "text", text: fields.content ?? "" }, ignoredFields: [] };
    case "interactive":
      return { ...readInteractiveContent(body, fields.content, issues), ignoredFields: [] };
    case "template":
      return readTemplateContent(body, fields, issues);
    default:
      return { ignoredFields: [] };
  }
}

function checkText(body: Body, text: string | undefined): Issue[] {
  const fault = (message: string) => [{ path: "content", message }];
  if (!isGiven(body, "content")) return fault("is required. It holds the text of the message.");
  if (text === undefined) return [];
  if (text.trim() === "") return fault(`is blank. Send 1 to ${formatNumber(MAX_CHARACTERS.text)} characters.`);
  const characters = characterCount(text);
  return characters > MAX_CHARACTERS.text
    ? fault(`has ${characters} characters, limit ${MAX_CHARACTERS.text}. Send it in parts.`)
    : [];
}

function readInteractiveContent(body: Body, source: string | undefined, issues: Issue[]): { content?: SendContent } {
  if (source === undefined) {
    if (!isGiven(body, "content"))
      issues.push({
        path: "content",
        message: "is required. It is a string that holds the interactive payload as JSON.",
      });
    return {};
  }
  let interactive: Record<string, unknown> = {};
  issues.push(
    ...issuesThrownBy(() => {
      interactive = readInteractive(parseJson(source, "content"));
    }),
  );
  return { content: { type: "interactive", source, interactive } };
}

const FILLING_FIELDS = ["templateVariables", "bodyParameters", "carousel"] as const;

function readTemplateContent(
  body: Body,
  fields: Fields,
  issues: Issue[],
): { content: SendContent; ignoredFields: SendField[] } {
  if (!isGiven(body, "templateName"))
    issues.push({ path: "templateName", message: "is required. Send the name of an approved template." });
  const given = FILLING_FIELDS.filter((name) => isGiven(body, name));
  if (given.length === 0 && !isGiven(body, "templateComponents")) {
    issues.push({
      path: "templateVariables",
      message:
        "is required. A template needs templateVariables ({} where it has no variables), templateComponents, bodyParameters or carousel.cards.",
    });
  }
  const {
    templateName: name = "",
    templateLanguage: language,
    templateComponents: components,
    expectCategory,
  } = fields;
  const template = (filling: TemplateFilling): SendContent => ({
    type: "template",
    name,
    ...(language === undefined ? {} : { language }),
    ...(expectCategory === undefined ? {} : { expectCategory }),
    filling,
  });
  if (components) {
    issues.push(...checkGivenComponents(components));
    return { content: template({ kind: "components", components }), ignoredFields: given };
  }
  const { templateVariables, bodyParameters, carousel } = fields;
  return {
    content: template({
      kind: "values",
      ...(templateVariables ? { templateVariables } : {}),
      ...(bodyParameters ? { bodyParameters } : {}),
      ...(carousel ? { carousel } : {}),
    }),
    ignoredFields: [],
  };
}

/** The header that can replace `idempotencyKey`. */
export const SEND_HEADERS = z.object({
  "Idempotency-Key": z
    .string()
    .max(255)
    .optional()
    .describe(
      "A repeat with the same key and request returns the first message with 200; one that was not sent is tried again, with 201. Send one always.",
    ),
});

const TEXT = { ...STATED.notBlank, minLength: 1, maxLength: MAX_CHARACTERS.text };
/** A JSON string, which a schema cannot validate. */
const INTERACTIVE = { contentMediaType: "application/json", pattern: "^\\s*\\{[\\s\\S]*\\}\\s*$" };

const idempotencyKey = z
  .string()
  .max(255)
  .meta(STATED.notBlank)
  .nullish()
  .describe("In place of the header `Idempotency-Key`; where both are given, they must be equal.");

const contentAs = (bounds: Record<string, unknown>) =>
  SEND_FIELDS.content.meta({ ...SEND_FIELDS.content.meta(), ...bounds });

type Own = { needs: readonly (readonly SendField[])[]; content?: typeof SEND_FIELDS.content };

/** The schema of one type: its own and the common fields. `null` means absent; each list in `needs` requires one. */
function sendOf(id: string, type: SendType, { needs, content = SEND_FIELDS.content }: Own) {
  const required = needs.flatMap((names) => (names.length === 1 ? names : []));
  const own: readonly SendField[] = FIELDS_OF_TYPE[type];
  const fields = SEND_FIELD_NAMES.filter((name) => isCommon(name) || own.includes(name)).map((name) => {
    const field = name === "content" ? content : SEND_FIELDS[name];
    return [name, required.includes(name) ? field.nullable() : field.nullish()];
  });
  return z
    .strictObject({
      ...Object.fromEntries(fields),
      type: z.literal(type).describe("Message type."),
      idempotencyKey,
    })
    .meta({ id, ...someOf(["phone", "contactId"]), allOf: needs.map(someOf) });
}

/** Requires at least one of the fields to be set and not null. */
function someOf(names: readonly SendField[]) {
  const given = names.map((name) => ({ required: [name], properties: { [name]: { not: { type: "null" } } } }));
  return given.length === 1 ? given[0] : { anyOf: given };
}

/** The schemas are documented; `parseSendRequest` reads the body and reports all faults at once. */
export const SEND_BODY: RequestBody<ParsedSend> = {
  name: "SendRequest",
  schemas: [
    sendOf("SendText", "text", { content: contentAs(TEXT), needs: [["content"]] }),
    sendOf("SendInteractive", "interactive", { content: contentAs(INTERACTIVE), needs: [["content"]] }),
    sendOf("SendTemplate", "template", {
      needs: [["templateName"], ["templateVariables", "templateComponents", "bodyParameters", "carousel"]],
    }),
  ],
  read: parseSendRequest,
};
