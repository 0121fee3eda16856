import { and, eq, isNull, or } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { type PhoneNumber, phoneNumbers, templates } from "@/db/schema";
import { decrypt } from "@/lib/core/crypto";
import { encryptionKeys } from "@/lib/core/encryption-keys";
import { env } from "@/lib/core/env";
import { frontDoor } from "@/lib/core/front-door";
import { isSameSecret } from "@/lib/core/is-same-secret";
import { keepAlive } from "@/lib/core/keep-alive";
import { processWide } from "@/lib/core/process-wide";
import { createSandbox, type Sandbox } from "@/lib/sandbox/sandbox";
import { sandboxSecret } from "@/lib/sandbox/sandbox-secret";
import type { SandboxTemplate } from "@/lib/sandbox/template-layout";
import type { TemplateQuery } from "@/lib/sandbox/templates";

const SANDBOX_PATH = "/api/sandbox";

/** WhatsApp's side for this deployment's test lines: knows their tokens and templates only. */
export function builtinSandbox(): Sandbox {
  return processWide("sandbox", () =>
    createSandbox({
      basePath: SANDBOX_PATH,
      webhook: {
        url: `${frontDoor()?.origin ?? env().APP_URL}/api/webhooks/whatsapp`,
        appSecret: sandboxSecret(env().WHATSAPP_APP_SECRET),
      },
      templates: listTestTemplates,
      acceptUnknownTemplates: false,
      isAuthorized: isTestToken,
      businessAccountOf: async (whatsappPhoneNumberId) =>
        (await findTestLines(whatsappPhoneNumberId))[0]?.whatsappBusinessAccountId,
      background: keepAlive,
    }),
  );
}

/** Anyone who may send here makes the sandbox sign webhooks, so only a test line's own token opens it. */
const isTestToken = async ({ accessToken, objectId }: { accessToken: string; objectId: string }): Promise<boolean> =>
  (await linesOpenTo(accessToken, objectId)).length > 0;

/** The test lines with this token among those that the id of a number or of a business account names. */
const linesOpenTo = async (accessToken: string, objectId: string): Promise<PhoneNumber[]> => {
  const lines = await findTestLines(objectId);
  return lines.filter((line) => {
    const expected = tokenOf(line);
    return expected !== undefined && isSameSecret(accessToken, expected);
  });
};

/** Undefined where it cannot be read under today's keys, which closes that line and no other of the same id. */
const tokenOf = (line: PhoneNumber): string | undefined => {
  try {
    return decrypt(line.accessToken, `${line.workspaceId}/${line.id}`, encryptionKeys());
  } catch {
    return undefined;
  }
};

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

/** Of the workspaces whose line has this token: any workspace may call its account by the same free word. */
const listTestTemplates = async (query: TemplateQuery): Promise<SandboxTemplate[]> => {
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
      ),
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
  }));
};
