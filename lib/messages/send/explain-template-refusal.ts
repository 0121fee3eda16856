import { setTimeout as sleep } from "node:timers/promises";
import { AppError, type ErrorDetails, refusedByPlatform } from "@/lib/core/app-error";
import type { Deadline } from "@/lib/core/deadline";
import { errorFields, log } from "@/lib/core/log";
import type { Principal } from "@/lib/core/principal";
import { quote, shorten } from "@/lib/core/text";
import { readDefinition } from "@/lib/templates/definition";
import { fillTemplate } from "@/lib/templates/fill";
import { refreshTemplate } from "@/lib/templates/sync-templates";
import { listVariants } from "@/lib/templates/variant-queries";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { SendOutcome } from "@/lib/whatsapp/post-message";
import type { PreparedSend } from "./prepare-send";

const SYNC_TIMEOUT_MS = 2_000;

type Refused = {
  outcome: Extract<SendOutcome, { outcome: "refused" }>;
  messageId: string;
  /** When the caller must have an answer. */
  deadline: Deadline;
};

/**
 * Reads a template again after WhatsApp contradicted our copy, and explains what changed.
 * Returns undefined if the refusal is not about the template's state, or that cannot be read.
 */
export async function explainTemplateRefusal(
  principal: Principal,
  { template, whatsappLine }: PreparedSend,
  { outcome, messageId, deadline }: Refused,
): Promise<AppError | undefined> {
  if (!template || outcome.template === null) return undefined;
  const { name, language } = template;
  const difference = await Promise.race([
    readDifference(principal, template, whatsappLine),
    sleep(deadline.leftMs, undefined, { ref: false }),
  ]);
  const details = {
    messageId,
    outcome: "not_sent",
    retryable: false,
    ...(outcome.platform ? { platform: outcome.platform } : {}),
  } satisfies ErrorDetails;
  if (outcome.template === "not_approved") {
    return new AppError(
      "TEMPLATE_NOT_APPROVED",
      `WhatsApp does not hold template ${quote(name)} (${language}) as approved any more (${shorten(outcome.reason, 60)}). GET /api/v1/public/templates lists what can be sent. Use a new Idempotency-Key.`,
      { details: { field: "templateName", ...details } },
    );
  }
  if (!difference) return undefined;
  return refusedByPlatform(
    "caller",
    `The template has changed on WhatsApp since we read it. ${difference.message} Use a new Idempotency-Key.`,
    { ...difference.details, ...details },
  );
}

/** A failed read is left to the next sync, so that the refusal can still be returned. */
async function readDifference(
  { workspaceId, mode }: Principal,
  { name, language, filling }: NonNullable<PreparedSend["template"]>,
  line: WhatsappLine,
): Promise<AppError | undefined> {
  try {
    await refreshTemplate(workspaceId, line, { name, timeoutMs: SYNC_TIMEOUT_MS });
    if (filling.kind === "components") return undefined;
    const { whatsappBusinessAccountId } = line;
    const variants = await listVariants(workspaceId, { mode, whatsappBusinessAccountId, name });
    const current = variants.find((variant) => variant.language === language);
    return current && differenceTo(current, filling);
  } catch (error) {
    log("warn", "templates.not-synced", { workspaceId, ...errorFields(error) });
    return undefined;
  }
}

function differenceTo(
  template: Parameters<typeof readDefinition>[0],
  filling: Parameters<typeof fillTemplate>[1],
): AppError | undefined {
  try {
    fillTemplate(readDefinition(template), filling);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
