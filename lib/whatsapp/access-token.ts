import { FormData } from "undici";
import { env } from "@/lib/core/env";
import { readExactJson } from "@/lib/core/json";
import { askGraph, callGraph, type WhatsappLine, withoutToken } from "./client";
import { DEAD_TOKEN_CODES } from "./error-codes";
import {
  classifyRefusal,
  type GraphFailure,
  type GraphResult,
  readErrorObject,
  readGraphError,
  toGraphFailure,
} from "./errors";
import { BatchAnswer, ExchangedToken, TokenRecord } from "./wire";

/** WhatsApp's information about a token; null if unknown. */
export type TokenFacts = {
  /** The app that the token was issued for. */
  whatsappAppId: string | null;
  expiry: { at: Date } | "never" | null;
  scopes: string[] | null;
};

const TIMEOUT_MS = 10_000;

/**
 * Asks WhatsApp about the line's token, in a batch of one, because a plain call would have the token in its URL,
 * which proxies log.
 */
export async function inspectToken(line: WhatsappLine): Promise<{ outcome: "ok"; token: TokenFacts } | GraphFailure> {
  const relativeUrl = `debug_token?input_token=${encodeURIComponent(line.accessToken)}`;
  const form = new FormData();
  form.set("batch", JSON.stringify([{ method: "GET", relative_url: relativeUrl }]));
  form.set("include_headers", "false");
  const result = unpack(await callGraph(line, { method: "POST", path: "/me", form, timeoutMs: TIMEOUT_MS }), line);
  const record = result.outcome === "ok" ? TokenRecord.safeParse(result.body).data?.data : undefined;
  if (!record) return toGraphFailure(result);
  const { app_id, expires_at, scopes } = record;
  if (record.is_valid === false) {
    const error = readErrorObject(record.error);
    const refusal = error ?? { ...NOT_VALID, message: "WhatsApp says that this token is not valid." };
    return toGraphFailure(classifyRefusal(401, withoutToken(refusal, line), {}));
  }
  return {
    outcome: "ok",
    token: {
      whatsappAppId: app_id ?? null,
      expiry: expires_at === 0 ? "never" : expires_at ? { at: new Date(expires_at * 1_000) } : null,
      scopes: scopes ?? null,
    },
  };
}

/**
 * Exchanges the code of Embedded Signup, which works once, for the business's token. In the body, because the app secret
 * would otherwise be in the URL, which proxies log.
 */
export function exchangeCode(whatsappAppId: string, code: string) {
  const json = {
    client_id: whatsappAppId,
    client_secret: env().WHATSAPP_APP_SECRET,
    code,
    grant_type: "authorization_code",
  };
  const request = { method: "POST", path: "/oauth/access_token", json, timeoutMs: TIMEOUT_MS } as const;
  return askGraph(NO_LINE, request, ExchangedToken);
}

const NO_LINE: WhatsappLine = {
  mode: "live",
  whatsappPhoneNumberId: "",
  whatsappBusinessAccountId: "",
  accessToken: "",
};

/** Whether a failure means that the credential itself was refused, not an outage or a missing permission. */
export function isTokenRefusal({ platform }: GraphFailure): boolean {
  return typeof platform?.code === "number" && DEAD_TOKEN_CODES.has(platform.code);
}

const NOT_VALID = { code: 190, subcode: null, title: null, details: null, fbtraceId: null, isTransient: false };

/** Returns the response of the one request in a batch. */
function unpack(batch: GraphResult, line: WhatsappLine): GraphResult {
  const answer = batch.outcome === "ok" ? BatchAnswer.safeParse(batch.body).data?.[0] : undefined;
  if (!answer) return batch;
  const body = readExactJson(answer.body);
  if (answer.code >= 200 && answer.code < 300) return { outcome: "ok", httpStatus: answer.code, body };
  const error = readGraphError(body);
  return classifyRefusal(answer.code, error && withoutToken(error, line), {});
}
