import { assertTemplateAllowed } from "@/lib/api-keys/key-limits";
import { contactNotFound, getRecipient } from "@/lib/contacts/recipient-queries";
import { AppError, idempotencyConflict, internalError, invalid, invalidAt, issuesOf } from "@/lib/core/app-error";
import { type Line, PLANS, type Principal } from "@/lib/core/principal";
import { monthOf, planLimitReached } from "@/lib/limits/quota";
import { limitOf, type RateLimitScope, rateLimitExceeded } from "@/lib/limits/rate-limit";
import { mediaKey, type UploadedMedia } from "@/lib/media/media-link";
import type { MediaShare } from "@/lib/media/media-share";
import { type FetchedMedia, fetchMedia } from "@/lib/media/safe-fetch";
import { findUploads } from "@/lib/media/store-upload";
import type { SendContent, SendRequest, TemplateFilling } from "@/lib/messages/send-request";
import { findRequestedLine, phoneNumberRequired } from "@/lib/phone-numbers/choose-line";
import { toWhatsappLine } from "@/lib/phone-numbers/whatsapp-line";
import { GATEWAY_NUMBERS, type GatewayNumber } from "@/lib/sandbox/gateway-numbers";
import { assertCategory } from "@/lib/templates/choose-template";
import { fillTemplate } from "@/lib/templates/fill";
import { readTemplate, recallTemplate, type SendableTemplate } from "@/lib/templates/sendable-template";
import type { WhatsappLine } from "@/lib/whatsapp/client";
import type { OutboundMessage } from "@/lib/whatsapp/message-payload";
import { type LinkedMedia, linkedMedia } from "./upload-media";

/** Media of a link in the request: already uploaded for the line, or fetched and ready to upload. */
export type PreparedMedia =
  | { source: LinkedMedia; uploaded: UploadedMedia }
  | { source: LinkedMedia; fetched: FetchedMedia };

/** Everything that a send needs, checked; nothing is claimed yet. */
export type PreparedSend = {
  line: Line;
  whatsappLine: WhatsappLine;
  contactId: string | undefined;
  /** Digits, or the user id of a contact without a number. */
  phone: string;
  outbound: OutboundMessage;
  media: PreparedMedia[];
  template: (SendableTemplate & { isMarketing: boolean; filling: TemplateFilling }) | undefined;
};

type Means = {
  /** Holds the bytes of a template's media. */
  mediaShare: MediaShare | undefined;
  /** Whether a template that was read before may be used: only if the claim then checks that it is current. */
  recalls: boolean;
};

/**
 * Resolves the line, the recipient and the template, fills the slots and fetches linked media, in the order of the
 * contract. Throws the 400, 403 or 404 of the first that does not hold.
 */
export async function prepareSend(
  principal: Principal,
  request: SendRequest,
  { mediaShare, recalls }: Means,
): Promise<PreparedSend> {
  const line = await findRequestedLine(principal, request.phoneNumberId);
  assertTemplateAllowed(principal.limits, request.content.type === "template" ? request.content.name : undefined);
  const { phone, contactId } = await resolveRecipient(principal, line, request);
  const fill = (how: { recalls: boolean }) =>
    toOutbound(principal, line, { to: phone, content: request.content, ...how });
  let { outbound, template } = await fill({ recalls });
  const known = await findUploads(principal.workspaceId, line.id, linkedMedia(outbound));
  // A link is fetched once, and refused for the kind that the template takes now.
  const fetches = linkedMedia(outbound).some((source) => !known.has(mediaKey(source)));
  if (fetches && template?.isRecalled) ({ outbound, template } = await fill({ recalls: false }));
  const media = mediaShare ? await prepareMedia(linkedMedia(outbound), { known, share: mediaShare }) : [];
  return {
    line,
    whatsappLine: toWhatsappLine(principal.workspaceId, { ...line, mode: principal.mode }),
    contactId,
    phone,
    outbound,
    media,
    template,
  };
}

const MEDIA_FETCH_TIMEOUT_MS = 8_000;

async function resolveRecipient(
  { workspaceId }: Principal,
  { whatsappBusinessAccountId }: Line,
  { phone, contactId }: SendRequest,
) {
  if (contactId === undefined) {
    if (phone === undefined) throw new Error("a parsed request names a recipient");
    return { phone, contactId };
  }
  const contact = await getRecipient(workspaceId, contactId, whatsappBusinessAccountId);
  if (phone !== undefined && !contact.numbers.includes(phone)) {
    throw invalidAt("phone", "is not the number of `contactId`. Send one of the two, or both of the same contact.");
  }
  const recipient = phone ?? contact.phone ?? contact.userId;
  if (recipient === null) {
    const message =
      "names a person who has no current number, and no user id for this line: WhatsApp announced that they changed both, or they wrote to another business portfolio only. Send `phone`, or use the line that they wrote to.";
    throw invalidAt("contactId", message);
  }
  return { phone: recipient, contactId: contact.id };
}

type TemplateContent = Extract<SendContent, { type: "template" }>;

async function toOutbound(
  principal: Principal,
  line: Line,
  { to, content, recalls }: { to: string; content: SendContent; recalls: boolean },
): Promise<Pick<PreparedSend, "outbound" | "template">> {
  switch (content.type) {
    case "text":
      return { outbound: { to, type: "text", text: content.text }, template: undefined };
    case "interactive":
      return { outbound: { to, type: "interactive", interactive: content.interactive }, template: undefined };
    case "template": {
      const { whatsappBusinessAccountId } = line;
      const { name, language, filling } = content;
      const isExact = filling.kind === "components";
      const wanted = { mode: principal.mode, whatsappBusinessAccountId, name, language, isExact };
      const known = recalls ? recallTemplate(principal.workspaceId, wanted) : undefined;
      if (known) {
        try {
          return fromTemplate(known, content, to);
        } catch (error) {
          // It may have changed since: a refusal needs what is stored now.
          if (!(error instanceof AppError)) throw error;
        }
      }
      return fromTemplate(await readTemplate(principal.workspaceId, wanted), content, to);
    }
    default:
      return content satisfies never;
  }
}

function fromTemplate(
  template: SendableTemplate,
  { filling, expectCategory }: TemplateContent,
  to: string,
): Pick<PreparedSend, "outbound" | "template"> {
  assertCategory(template, expectCategory);
  const { name, language, category, definition } = template;
  const components =
    filling.kind === "components" ? { given: filling.components } : { built: fillTemplate(definition, filling) };
  return {
    outbound: { to, type: "template", name, language, components },
    template: { ...template, isMarketing: category.toUpperCase() === "MARKETING", filling },
  };
}

async function prepareMedia(
  wanted: LinkedMedia[],
  { known, share }: { known: ReadonlyMap<string, UploadedMedia>; share: MediaShare },
): Promise<PreparedMedia[]> {
  const prepared = await Promise.allSettled(
    wanted.map(async (source): Promise<PreparedMedia> => {
      const uploaded = known.get(mediaKey(source));
      if (uploaded) return { source, uploaded };
      const { link, format, field } = source;
      return { source, fetched: await fetchMedia(link, { format, field, timeoutMs: MEDIA_FETCH_TIMEOUT_MS, share }) };
    }),
  );
  // All dead links are reported at once.
  const issues = prepared.flatMap((media) => (media.status === "rejected" ? issuesOf(media.reason) : []));
  if (issues.length > 0) throw invalid(issues);
  return prepared.flatMap((media) => (media.status === "fulfilled" ? [media.value] : []));
}

type Rehearsal = {
  phone: string;
  idempotencyKey: string | undefined;
  /** The line that would send, and whether the call named it. */
  line: Line;
  isLineNamed: boolean;
  now: Date;
};

/**
 * Simulates the gateway's own refusals for certain test numbers. `details.testNumber` shows that the refusal
 * is simulated. Throws it before anything is claimed.
 */
export function rehearseRefusal(rehearsal: Rehearsal): void {
  const number = GATEWAY_NUMBERS.find(({ phone }) => phone === rehearsal.phone)?.phone;
  if (number === undefined) return;
  const refusal = REFUSALS[number](rehearsal);
  if (!refusal) return;
  const { code, message, status, headers, details } = refusal;
  throw new AppError(code, `${message} Simulated by test number ${number}.`, {
    status,
    headers,
    details: { ...details, testNumber: number },
  });
}

const REFUSALS: Record<GatewayNumber, (rehearsal: Rehearsal) => AppError | undefined> = {
  "447700900402": ({ now }) =>
    planLimitReached({ limit: PLANS.free, used: PLANS.free, resetsAt: monthOf(now).endsAt.toISOString() }),
  "447700900404": ({ phone }) => contactNotFound(phone),
  "447700900409": ({ idempotencyKey = "example", now }) => idempotencyConflict(idempotencyKey, { createdAt: now }),
  "447700900429": ({ now }) => limitReached("key", now),
  "447700900430": ({ now }) => limitReached("ip", now),
  "447700900431": ({ line, isLineNamed }) => (isLineNamed ? undefined : phoneNumberRequired([line, line])),
  "447700900500": () => internalError(undefined),
};

const REHEARSED_WINDOW_MS = 2_000;

function limitReached(scope: RateLimitScope, now: Date): AppError {
  const resetAtMs = now.getTime() + REHEARSED_WINDOW_MS;
  const used = { scope, limit: limitOf(scope), isAllowed: false, remaining: 0, resetAtMs };
  return rateLimitExceeded(used, now.getTime());
}
