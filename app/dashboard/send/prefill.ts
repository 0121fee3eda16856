import { z } from "zod";
import type { Mode } from "@/db/schema/identity";
import type { Member } from "@/lib/auth/member";
import { AppError } from "@/lib/errors";
import { newId } from "@/lib/ids";
import { revealRequest } from "@/lib/messages/reveal-request";
import { toSendBody } from "@/lib/public-api/send-body";
import { readDefinition } from "@/lib/templates/definition";
import type { ApprovedTemplate } from "@/lib/templates/queries";
import { listApproved } from "@/lib/templates/queries";
import { sampleOf } from "@/lib/templates/sample-values";
import { listVariables } from "@/lib/templates/variable-keys";
import { can } from "@/lib/workspaces/roles";

/** What the form begins with, where a link brings something along. */
export type Prefill = { id: string; mode: Mode; body: Record<string, unknown> };

/** A template that a test can send, with a value for each key that shows what belongs there. */
export type TemplateChoice = {
  name: string;
  language: string;
  variables: { key: string; where: string; sample: string; required: boolean }[];
};

export const prefillOf = async (member: Member, given: Record<string, unknown>): Promise<Prefill | undefined> => {
  const { message, template, values } = Given.parse(given);
  if (message !== undefined) return ofMessage(member, message);
  return template === undefined ? undefined : ofTemplate(member, template, values);
};

export const toTemplateChoice = (template: ApprovedTemplate): TemplateChoice => ({
  name: template.name,
  language: template.language,
  variables: listVariables(readDefinition(template)).map((variable) => ({
    ...{ key: variable.key, where: variable.where.join(", "), required: variable.required },
    sample: sampleOf(variable),
  })),
});

/** The same contents once more. Seeing them is noted, as on the message's own page. */
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
      const { name: templateName, language: templateLanguage } = template;
      const body = { type: "template", templateName, templateLanguage, templateVariables: values };
      return { id, mode, body };
    }
  }
  return undefined;
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
