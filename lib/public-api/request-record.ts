import { hasFrontDoor } from "@/lib/core/front-door";
import { isRecord } from "@/lib/core/is-record";
import { maskedPath, maskNumbers } from "@/lib/core/masked-text";
import { callerAddress } from "./caller-address";
import { errorBody, toAppError } from "./error-response";
import { operationOf, type ReceivedRequest } from "./received-request";
import { redactedAnswer, redactedBody } from "./redaction";
import { readIdempotencyKey, readNamedKey, requestMethod } from "./request-headers";

const MAX_HEADER_CHARACTERS = 200;

type Call = { method: string; request: Request; requestId: string; at: Date; body: unknown };
type Outcome = {
  response: Response;
  failure: unknown;
  durationMs: number;
  platformMs: number | undefined;
  messageId: unknown;
};

/** A call as the request log keeps it; undefined where it names no key of anybody's. `body` is a proven caller's. */
export function toReceivedRequest(
  { method, request, requestId, at, body }: Call,
  { response, failure, durationMs, platformMs, messageId }: Outcome,
): ReceivedRequest | undefined {
  const { headers, url } = request;
  const apiKey = readNamedKey(headers);
  if (apiKey === undefined) return undefined;
  const { pathname } = new URL(url);
  const error = failure === undefined ? undefined : toAppError(failure);
  const namedMessage = messageId ?? error?.details.messageId;
  return {
    id: requestId,
    at,
    apiKey,
    operation: operationOf(pathname),
    method: requestMethod(headers, method, { hasFrontDoor: hasFrontDoor() }).slice(0, 20),
    path: maskedPath(request.url),
    status: response.status,
    errorCode: error?.code ?? null,
    clientRequestId: kept(headers.get("x-request-id")),
    idempotencyKey: namedIdempotencyKey(headers, body),
    isReplay: response.headers.has("idempotent-replayed"),
    messageId: typeof namedMessage === "string" ? namedMessage : null,
    ip: callerAddress(headers),
    userAgent: kept(headers.get("user-agent")),
    durationMs: Math.round(durationMs),
    platformMs: platformMs ?? null,
    body: body === undefined ? null : redactedBody(body),
    answer: error ? redactedAnswer(errorBody(error, requestId)) : null,
  };
}

const kept = (header: string | null): string | null => header && maskNumbers(header.slice(0, MAX_HEADER_CHARACTERS));

/** The key as it was checked, or null where there is none or a wrong one. */
const namedIdempotencyKey = (headers: Headers, body: unknown): string | null => {
  try {
    return readIdempotencyKey(headers, isRecord(body) ? body.idempotencyKey : undefined) ?? null;
  } catch {
    return null;
  }
};
