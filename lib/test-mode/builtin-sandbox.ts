import { timingSafeEqual } from "node:crypto";
import { and, eq, or } from "drizzle-orm";
import { onDatabase } from "@/db/client";
import { phoneNumbers, templates } from "@/db/schema";
import { decrypt } from "@/lib/crypto";
import { encryptionKeys } from "@/lib/encryption-keys";
import { env } from "@/lib/env";
import { frontDoor } from "@/lib/front-door";
import { processWide } from "@/lib/process-wide";
import { createSandbox, type Sandbox } from "@/lib/sandbox/sandbox";
import type { SandboxTemplate } from "@/lib/sandbox/template-layout";
import type { TemplateQuery } from "@/lib/sandbox/templates";
import { sandboxSecret } from "./sandbox-secret";

export const SANDBOX_PATH = "/api/sandbox";

/** The platform's side for this deployment's test lines: knows their tokens and templates, and nobody else's. */
export const builtinSandbox = (): Sandbox =>
  processWide("sandbox", () =>
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

/** Whoever may send here makes the sandbox sign webhooks, so only a test line's own token opens it. */
const isTestToken = async ({ accessToken, objectId }: { accessToken: string; objectId: string }): Promise<boolean> => {
  const given = Buffer.from(accessToken);
  const lines = await findTestLines(objectId);
  return lines.some((line) => {
    const expected = Buffer.from(decrypt(line.accessToken, `${line.workspaceId}/${line.id}`, encryptionKeys()));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
};

/** The test lines that the platform would find under an id of a number or of a business account. */
const findTestLines = (objectId: string) =>
  onDatabase((db) =>
    db
      .select()
      .from(phoneNumbers)
      .where(
        and(
          eq(phoneNumbers.mode, "test"),
          or(eq(phoneNumbers.whatsappPhoneNumberId, objectId), eq(phoneNumbers.whatsappBusinessAccountId, objectId)),
        ),
      ),
  );

const listTestTemplates = async (query: TemplateQuery): Promise<SandboxTemplate[]> => {
  const { whatsappPhoneNumberId, name } = query;
  const account =
    query.whatsappBusinessAccountId ??
    (whatsappPhoneNumberId && (await findTestLines(whatsappPhoneNumberId))[0]?.whatsappBusinessAccountId);
  if (!account) return [];
  const rows = await onDatabase((db) =>
    db
      .select()
      .from(templates)
      .where(
        and(
          eq(templates.mode, "test"),
          eq(templates.whatsappBusinessAccountId, account),
          name === undefined ? undefined : eq(templates.name, name),
        ),
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

const REQUEST_CONTEXT = Symbol.for("@vercel/request-context");

/** Vercel stops a function at its answer unless it is told what is still under way; elsewhere the process lives on. */
const keepAlive = (work: Promise<unknown>): void => {
  const store: unknown = Reflect.get(globalThis, REQUEST_CONTEXT);
  if (!hasMethod(store, "get")) return;
  const context = store.get();
  if (hasMethod(context, "waitUntil")) context.waitUntil(work);
};

const hasMethod = <N extends string>(value: unknown, name: N): value is Record<N, (argument?: unknown) => unknown> =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, name) === "function";
