import { type Issue, invalid, MAX_ISSUES } from "@/lib/core/app-error";
import { isRecord } from "@/lib/core/is-record";
import { formatNumber } from "@/lib/core/number";
import { readPhone } from "@/lib/core/phone";
import { characterCount, quote } from "@/lib/core/text";
import { readInteractive } from "@/lib/messages/interactive";
import type { SendContent, SendRequest, TemplateFilling } from "@/lib/messages/send-request";
import { checkGivenComponents } from "@/lib/templates/given-components";
import { MOST_CHARACTERS } from "@/lib/whatsapp/limits";
import { issuesThrownBy, toIssues, unknownField } from "./issues";
import { parseJson } from "./json";
import { readIdempotencyKey } from "./request-headers";
import { FIELDS_OF_TYPE, isSendField, SEND_FIELDS, type SendField } from "./send-fields";

export type ParsedSend = {
  request: SendRequest;
  idempotencyKey: string | undefined;
  /** Fields that were given but have no effect beside `templateComponents`. */
  ignoredFields: SendField[];
};

/** Reads the body of a send. Throws one VALIDATION_ERROR with every fault. */
export function parseSendRequest(body: unknown, headers: Headers): ParsedSend {
  if (!isRecord(body)) {
    throw invalid([{ path: "", message: "The body must be a JSON object." }]);
  }
  const { fields, issues } = readFields(body);
  issues.push(...issuesThrownBy(() => readIdempotencyKey(headers, fields.idempotencyKey)));

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
      ...(fields.contactId === undefined ? {} : { contactId: fields.contactId }),
      ...(fields.phoneNumberId === undefined ? {} : { phoneNumberId: fields.phoneNumberId }),
      revalidateFlowSession: fields.revalidateFlowSession ?? false,
      content,
    },
    idempotencyKey: readIdempotencyKey(headers, fields.idempotencyKey),
    ignoredFields,
  };
}

type Body = Record<string, unknown>;

type Fields = { [Name in SendField]?: (typeof SEND_FIELDS)[Name]["_output"] };

/** Every field by itself, so that one fault does not hide another; `null` means absent. */
const readFields = (body: Body): { fields: Fields; issues: Issue[] } => {
  const issues: Issue[] = [];
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (!isSendField(name)) {
      if (issues.length >= MAX_ISSUES) continue;
      issues.push(unknownField(name, Object.keys(SEND_FIELDS)));
    } else if (value !== null) {
      const read = SEND_FIELDS[name].safeParse(value, { reportInput: true });
      if (read.success) fields[name] = read.data;
      else issues.push(...explain(body, name, toIssues(read.error, [name], { schema: SEND_FIELDS[name], value })));
    }
  }
  if (!isGiven(body, "type"))
    issues.unshift({ path: "type", message: 'is required. Send "text", "template" or "interactive".' });
  return { fields, issues };
};

const explain = (body: Body, name: SendField, issues: Issue[]): Issue[] => {
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
};

const isGiven = (body: Body, name: SendField): boolean => (body[name] ?? null) !== null;

const misplacedFields = (body: Body, type: keyof typeof FIELDS_OF_TYPE): Issue[] => {
  const own: readonly SendField[] = FIELDS_OF_TYPE[type];
  const ofOthers = Object.values(FIELDS_OF_TYPE)
    .flat()
    .filter((name) => !own.includes(name));
  return [...new Set(ofOthers)]
    .filter((name) => isGiven(body, name))
    .map((name) => ({ path: name, message: `cannot be used with type "${type}". Remove it, or change the type.` }));
};

const readContent = (
  body: Body,
  fields: Fields,
  issues: Issue[],
): { content?: SendContent; ignoredFields: SendField[] } => {
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
};

const checkText = (body: Body, text: string | undefined): Issue[] => {
  const fault = (message: string) => [{ path: "content", message }];
  if (!isGiven(body, "content")) return fault("is required. It holds the text of the message.");
  if (text === undefined) return [];
  if (text.trim() === "") return fault(`is blank. Send 1 to ${formatNumber(MOST_CHARACTERS.text)} characters.`);
  const characters = characterCount(text);
  return characters > MOST_CHARACTERS.text
    ? fault(`has ${characters} characters, limit ${MOST_CHARACTERS.text}. Send it in parts.`)
    : [];
};

const readInteractiveContent = (body: Body, source: string | undefined, issues: Issue[]): { content?: SendContent } => {
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
};

const FILLING_FIELDS = ["templateVariables", "bodyParameters", "carousel"] as const;

const readTemplateContent = (
  body: Body,
  fields: Fields,
  issues: Issue[],
): { content: SendContent; ignoredFields: SendField[] } => {
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
  const { templateName: name = "", templateLanguage: language, templateComponents: components } = fields;
  const template = (filling: TemplateFilling): SendContent => ({
    type: "template",
    name,
    ...(language === undefined ? {} : { language }),
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
};
