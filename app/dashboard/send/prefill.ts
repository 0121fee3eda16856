import { z } from "zod";
import type { Mode } from "@/db/schema/identity";
import type { Member } from "@/lib/auth/member";
import { AppError } from "@/lib/core/app-error";
import { newId } from "@/lib/core/new-id";
import { revealRequest } from "@/lib/messages/reveal-request";
import { toSendBody } from "@/lib/public-api/send-body";
import { readDefinition, type TemplateDefinition } from "@/lib/templates/definition";
import { findTemplate } from "@/lib/templates/queries";
import { withSamples } from "@/lib/templates/sample-values";
import { can } from "@/lib/workspaces/roles";

/** What the form begins with, where a link brings something along. */
type Prefill = { id: string; mode: Mode; body: Record<string, unknown> };

export async function prefillOf(member: Member, { message, template, values }: Record<string, unknown>) {
  if (typeof message === "string") return ofMessage(member, message);
  return typeof template === "string" ? ofTemplate(member, template, readValues(values)) : undefined;
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
  const template = await findTemplate(member.workspaceId, id);
  if (template?.status !== "APPROVED") return undefined;
  return { id, mode: template.mode, body: templateBody(readDefinition(template), values) };
};

/** What a form begins with for a template: the values of a link, and a sample wherever else one is due. */
export function templateBody(definition: TemplateDefinition, values: Record<string, string>): Prefill["body"] {
  return {
    type: "template",
    templateName: definition.name,
    templateLanguage: definition.language,
    templateVariables: Object.fromEntries(withSamples(definition, new Map(Object.entries(values)))),
  };
}

function readValues(json: unknown): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(String(json)));
  } catch {
    return {};
  }
}
