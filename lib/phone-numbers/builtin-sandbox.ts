import { and, eq, isNull, or } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type PhoneNumber, phoneNumbers, type Template, templates } from "@/db/schema";
import { encryptionKeys, isSameSecret, tryDecrypt } from "@/lib/core/crypto";
import { keepFunctionAlive } from "@/lib/core/due-work";
import { env } from "@/lib/core/env";
import { frontDoor } from "@/lib/core/own-server";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { createSandbox, type Sandbox, verdictOf } from "@/lib/sandbox/sandbox";
import type { SandboxTemplate } from "@/lib/sandbox/template-layout";
import type { TemplateQuery } from "@/lib/sandbox/templates";
import { sandboxSecret } from "@/lib/whatsapp/webhook-signature";

const SANDBOX_PATH = "/api/sandbox";
/** Longer than a review with every try of its webhook. */
const REVIEW_ENDS_MS = 120_000;

let sandbox: Sandbox | undefined;

/** Returns the built-in sandbox, which knows only the tokens and templates of this deployment's test lines. */
export function builtinSandbox(): Sandbox {
  sandbox ??= createSandbox({
    basePath: SANDBOX_PATH,
    webhook: {
      url: `${frontDoor()?.origin ?? env().APP_URL}/api/webhooks/whatsapp`,
      appSecret: sandboxSecret(env().WHATSAPP_APP_SECRET),
    },
    templates: listTestTemplates,
    acceptUnknownTemplates: false,
    // A send makes the sandbox sign webhooks, so only a test line's own token is accepted.
    isAuthorized: async ({ accessToken, objectId }) => (await linesOpenTo(accessToken, objectId)).length > 0,
    businessAccountOf: async (whatsappPhoneNumberId) =>
      (await findTestLines(whatsappPhoneNumberId))[0]?.whatsappBusinessAccountId,
    background: keepFunctionAlive,
  });
  return sandbox;
}

/** Returns the test lines with this token whose number or business account has the id. */
async function linesOpenTo(accessToken: string, objectId: string): Promise<PhoneNumber[]> {
  const lines = await findTestLines(objectId);
  return lines.filter((line) => {
    // A token that the current keys cannot decrypt disables only its line.
    const expected = tryDecrypt(line.accessToken, `${line.workspaceId}/${line.id}`, encryptionKeys());
    return expected !== undefined && isSameSecret(accessToken, expected);
  });
}

const findTestLines = (objectId: string): Promise<PhoneNumber[]> =>
  onDatabase((db) =>
    db
      .select()
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.mode, "test"),
          isNull(phoneNumbers.disconnectedAt),
          or(eq(phoneNumbers.whatsappPhoneNumberId, objectId), eq(phoneNumbers.whatsappBusinessAccountId, objectId)),
        ),
      ),
  );

/** Limited to workspaces whose line has this token, because made-up account ids are not unique across workspaces. */
async function listTestTemplates(query: TemplateQuery): Promise<SandboxTemplate[]> {
  const { accessToken, whatsappPhoneNumberId, whatsappBusinessAccountId, name } = query;
  const lines = await linesOpenTo(accessToken, whatsappBusinessAccountId ?? whatsappPhoneNumberId ?? "");
  if (lines.length === 0) return [];
  const isOfLine = lines.map((line) =>
    and(
      eq(templates.workspaceId, line.workspaceId),
      eq(templates.whatsappBusinessAccountId, line.whatsappBusinessAccountId),
    ),
  );
  const rows = await onDatabase((db) =>
    db
      .select()
      .from(templates)
      .where(
        and(eq(templates.mode, "test"), or(...isOfLine), name === undefined ? undefined : eq(templates.name, name)),
      )
      // A cursor is a place in this order.
      .orderBy(templates.id),
  );
  return rows.map((row) => ({
    id: row.whatsappTemplateId,
    name: row.name,
    language: row.language,
    status: row.status,
    category: row.category,
    parameter_format: row.parameterFormat,
    components: row.components,
    quality_score: { score: row.qualityScore ?? "UNKNOWN" },
    rejected_reason: row.rejectedReason ?? "NONE",
    ...(isLeftInReview(row) ? verdictOf(row.name) : {}),
  }));
}

/** The process that would have ended its review was stopped. One of the sandbox's own templates waits for good. */
const isLeftInReview = ({ status, createdAt, whatsappTemplateId }: Template): boolean =>
  status === "PENDING" &&
  Date.now() - createdAt.getTime() > REVIEW_ENDS_MS &&
  !FIXTURE_TEMPLATES.some(({ id }) => id === whatsappTemplateId);
