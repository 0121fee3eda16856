import { z } from "zod";
import type { Mode } from "@/db/schema/identity";
import type { Member } from "@/lib/auth/member";
import { AppError } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import { formsOf, templateFilling } from "@/lib/docs/template-send";
import { revealRequest } from "@/lib/messages/reveal-request";
import { toSendBody } from "@/lib/public-api/send-body";
import { componentOnlyPlaces } from "@/lib/templates/component-only";
import { readDefinition } from "@/lib/templates/definition";
import type { ApprovedTemplate } from "@/lib/templates/queries";
import { listApproved } from "@/lib/templates/queries";
import { withSamples } from "@/lib/templates/sample-values";
import { listVariables } from "@/lib/templates/variable-keys";
import { can } from "@/lib/workspaces/roles";

/** What the form begins with, where a link brings something along. */
export type Prefill = { id: string; mode: Mode; body: Record<string, unknown> };

/** A template that a test can send, with a value for each key that shows what belongs there. */
export type TemplateChoice = {
  id: string;
  name: string;
  language: string;
  /** `required` where the form fills in the sample. */
  variables: { key: string; where: string; sample: string; required: boolean }[];
  /** The places that no field of the form can fill. */
  componentOnly: string[];
};

export async function prefillOf(member: Member, given: Record<string, unknown>): Promise<Prefill | undefined> {
  const { message, template, values } = Given.parse(given);
  if (message !== undefined) return ofMessage(member, message);
  return template === undefined ? undefined : ofTemplate(member, template, values);
}

export function toTemplateChoice(template: ApprovedTemplate): TemplateChoice {
  const { id, name, language } = template;
  const definition = readDefinition(template);
  const samples = withSamples(definition, new Map());
  const variables = listVariables(definition).filter(({ fillWith }) => fillWith === undefined);
  return {
    id,
    name,
    language,
    variables: variables.map(({ key, where }) => ({
      key,
      where: where.join(", "),
      sample: samples.get(key) ?? "",
      required: samples.has(key),
    })),
    componentOnly: [definition, ...definition.cards].flatMap((part) =>
      componentOnlyPlaces(part).map(({ what }) => what),
    ),
  };
}

/** The same contents once more. Showing them is logged, as on the message's own page. */
const ofMessage = async (member: Member, messageId: string): Promise<Prefill | undefined> => {
  if (!can(member.role, "seeBodies")) return undefined;
  try {
    const by = { actor: { kind: "user", id: member.userId }, requestId: newId("req") } as const;
    const { mode, request } = await revealRequest(member.workspaceId, messageId, by);
    return request ? { id: messageId, mode, body: toSendBody(request) } : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
};

const ofTemplate = async (member: Member, id: string, values: Record<string, string>): Promise<Prefill | undefined> => {
  for (const mode of ["test", "live"] as const) {
    const approved = await listApproved(member.workspaceId, { mode });
    const template = approved.find((one) => one.id === id);
    if (template) {
      return { id, mode, body: bodyOf(template, values) };
    }
  }
  return undefined;
};

/** What strings cannot fill is written as components, with samples to replace. */
const bodyOf = (template: ApprovedTemplate, values: Record<string, string>): Record<string, unknown> => {
  const { name: templateName, language: templateLanguage } = template;
  const named = { type: "template", templateName, templateLanguage };
  const definition = readDefinition(template);
  if (formsOf(definition).includes("variables")) return { ...named, templateVariables: values };
  const typed = withSamples(definition, new Map(Object.entries(values)));
  try {
    return { ...named, ...templateFilling({ definition, values: typed }, "components") };
  } catch (error) {
    if (error instanceof AppError) return { ...named, templateComponents: [] };
    throw error;
  }
};

const text = z.string().max(200).optional().catch(undefined);

const Given = z.object({
  message: text,
  template: text,
  values: z
    .preprocess((json) => (typeof json === "string" ? tryParse(json) : {}), z.record(z.string(), z.string()))
    .catch({}),
});

const tryParse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
};
