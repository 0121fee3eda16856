import { ERROR_STATUS, type ErrorCode } from "@/lib/core/app-error";
import { MAX_PARAMETER_CHARACTERS } from "@/lib/templates/lengths";

export type ErrorPage = {
  title: string;
  /** Text between backticks is shown as code. */
  happened: string;
  causes: string[];
  fix: string[];
  retry: { advice: "yes" | "no" | "sometimes"; text: string };
};

/** A page for every code, enforced by the compiler. */
export const ERROR_CATALOGUE: Record<ErrorCode, ErrorPage> = {
  VALIDATION_ERROR: {
    title: "The request breaks a rule",
    happened:
      "The request was read and refused before anything was sent. `details.issues` lists the faults together (the first 100), each with its path; `details.field` names the first. Values are checked against the template once the request itself is right.",
    causes: [
      "The body is not JSON in UTF-8, names a key twice, or is nested too deeply.",
      "A field is missing, unknown or of the wrong type; unknown fields are named with a “did you mean”.",
      "`phone` has other characters than digits and separators, or begins with `00` or a national `0`.",
      "`content` of an interactive message was sent as an object: it must be a string that holds JSON.",
      `A template variable is missing, surplus, or longer than ${MAX_PARAMETER_CHARACTERS} characters.`,
      "`parameters` in `templateComponents` is not an array, or a `text` in it not a string.",
      "The `Idempotency-Key` header and the body field `idempotencyKey` differ.",
    ],
    fix: [
      "Go through `details.issues` and correct each path; the message of an issue shows the right form.",
      "For templates, compare your keys with `variables` of `GET /api/v1/public/templates`.",
    ],
    retry: {
      advice: "no",
      text: "The same request is refused again. Correct it; the same idempotency key may be used.",
    },
  },
  PHONE_NUMBER_REQUIRED: {
    title: "Several lines could send this",
    happened: "The workspace has more than one active line and the request does not say which one sends.",
    causes: [
      "`phoneNumberId` is missing, and a second line was connected or resumed since the integration was written.",
    ],
    fix: [
      "Add `phoneNumberId`. `details` lists the candidates; in the dashboard it is the id on the line’s page, the last part of its address.",
      "Pass it always: then a new line never changes what your calls do.",
    ],
    retry: { advice: "no", text: "Add the field first. Nothing was sent." },
  },
  PHONE_NUMBER_NOT_FOUND: {
    title: "That line is not in this workspace",
    happened: "`phoneNumberId` names no line of the workspace that the key belongs to.",
    causes: [
      "WhatsApp’s numeric phone id was sent: this API accepts only its own ids.",
      "The line is of the other mode: test keys use test lines, live keys use live lines. The message says so where the line is of your workspace.",
      "The line was disconnected, or belongs to another workspace.",
      "The id was cut off or mistyped.",
    ],
    fix: ["Copy the id from Dashboard → Lines, and check that the key is of the same workspace and mode."],
    retry: { advice: "no", text: "Correct the id first. Nothing was sent." },
  },
  PHONE_NUMBER_INACTIVE: {
    title: "That line is paused",
    happened: "`phoneNumberId` names a line of this workspace that is paused.",
    causes: ["An owner or admin paused the line."],
    fix: ["Send from another line, or ask an owner or admin of the workspace to resume this one."],
    retry: { advice: "sometimes", text: "As soon as the line is resumed. Nothing was sent." },
  },
  NO_PHONE_NUMBER: {
    title: "No active line is connected",
    happened: "The workspace has no active line of the key’s mode, so there is nothing to send from.",
    causes: [
      "No line was connected yet, or every line is paused.",
      "`details.reason` is `line`: the key may use certain lines only, and each of them is paused or disconnected.",
      "A live key is used where only a test line exists, or the reverse.",
    ],
    fix: [
      "Connect or resume a line.",
      "To try the API without one, use a `pk_test_` key: it uses the built-in sandbox.",
    ],
    retry: { advice: "sometimes", text: "As soon as a line is active. Nothing was sent." },
  },
  TEMPLATE_NOT_APPROVED: {
    title: "The template is not approved",
    happened: "The template exists, but WhatsApp has not approved it or has withdrawn its approval.",
    causes: [
      "It is still pending, was rejected, or is paused or disabled because of low quality.",
      "It was edited: an edited template is pending again.",
    ],
    fix: [
      "See its status in Dashboard → Templates; `GET /api/v1/public/templates` lists those that can be sent.",
      "Wait for approval, correct a rejected template in WhatsApp Manager, or send another template.",
    ],
    retry: {
      advice: "sometimes",
      text: "Once it is approved. Nothing was sent. Where `details.messageId` is there, WhatsApp itself refused it: use a new idempotency key.",
    },
  },
  CHAT_GRAPH_ERROR: {
    title: "WhatsApp did not accept the message",
    happened:
      "The message passed our checks and went to WhatsApp. With status 400, WhatsApp refused what you sent, and you can fix it. With 502, the line’s owner, the operator or WhatsApp must act, or WhatsApp gave no usable response.",
    causes: [
      "400: the recipient cannot receive this, the free-text window of 24 hours is closed, or the template’s parameters do not fit.",
      "400 with `details.refusedBy` `switchboard`: WhatsApp was not called. The person stopped marketing (131050), or WhatsApp withheld the template from them twice within 24 hours (131049).",
      "502 with `details.outcome` `not_sent`: the line’s access token was refused, the line is throttled, or WhatsApp could not be reached.",
      "502 with `details.outcome` `unknown`: WhatsApp timed out or closed the connection, and the message may have been sent.",
    ],
    fix: [
      "Read `details.platform`: it has WhatsApp’s own code, title and message. Its code is the same where Switchboard refused.",
      "400: change the message as the text says, and use a new idempotency key. Outside the 24-hour window send an approved template.",
      "400 with `details.retryable` `true`: the cause passes by itself, as with a throttled flow. Wait for `details.retryAfterSeconds`.",
      "502, `not_sent`: an owner of the workspace checks the line; a dead access token must be replaced.",
      "502, `unknown`: read the message by `details.messageId` until its status is final.",
    ],
    retry: {
      advice: "sometimes",
      text: "400: no, change it first, unless `details.retryable` is `true`. 502 with `not_sent`: yes, with the same idempotency key; at once after `details.retryAfterSeconds`, else when the line is fixed. 502 with `unknown`: read its status instead. A repeat with the same key returns the same message; a repeat without a key may send it twice.",
    },
  },
  UNAUTHORIZED: {
    title: "The credentials were not accepted",
    happened:
      "The request did not carry an active pair of `apiKey` and `apiSecret`. Missing, malformed, unknown, wrong, expired and revoked credentials all return this same error.",
    causes: [
      "One of the two headers is missing, or a proxy on the way removed it.",
      "The two values are swapped: `apiKey` begins with `pk_`, `apiSecret` with `sk_`.",
      "The copied value includes a quote, a space or a line break.",
      "`Authorization: Bearer` was sent instead: this API does not use it.",
      "The key was revoked, has expired, or belongs to another deployment.",
    ],
    fix: [
      "Send both headers with every request; `X-API-Key` and `X-API-Secret` are accepted as well.",
      "Compare the key id with Dashboard → Settings → API keys. A lost secret cannot be read again: create a new key.",
    ],
    retry: { advice: "no", text: "Correct the credentials first." },
  },
  PLAN_LIMIT_EXCEEDED: {
    title: "The plan’s messages are used up",
    happened:
      "The workspace has sent as many messages this calendar month (UTC) as its plan includes, or the key as many as its own cap allows.",
    causes: [
      "`details.used` has reached `details.limit`. Replays and refused sends do not count, and test messages not against the plan.",
      "`details.reason` is `monthly_cap`: the cap of this key is reached, which counts test messages, too. Other keys go on working.",
    ],
    fix: [
      "Ask a workspace owner to raise the plan, or wait for `details.resetsAt`.",
      "For `monthly_cap`, an owner or admin can raise the cap of the key under Settings → API keys.",
      "Test keys without a cap go on working: they do not count against the plan.",
    ],
    retry: { advice: "sometimes", text: "After `details.resetsAt`, with the same idempotency key. Nothing was sent." },
  },
  FORBIDDEN: {
    title: "This key or member may not do this",
    happened:
      "The caller is authenticated but not allowed to do this. Of a call of the API, `details.reason` names the limit of the key that refused it. Nothing was sent.",
    causes: [
      "`permission`: the key may not use this endpoint.",
      "`line`: the key may not use this line, or the idempotency key belongs to a message of such a line.",
      "`template`: the key may not send this template; if it has templates, it sends no text and no interactive message.",
      "`ip`: the call came from an address outside the key’s IP ranges; `details.ip` is the address.",
      "The webhook’s verify token differs from the one that this deployment expects.",
      "In the dashboard: your role does not include this action.",
    ],
    fix: [
      "For a key, use one that may do this, or ask an owner or admin of the workspace to change the limits of this one under Settings → API keys. The page “What a key may do” of these docs explains each limit.",
      "For webhooks, paste the verify token again at Meta.",
      "In the dashboard, ask an owner or admin of the workspace.",
    ],
    retry: {
      advice: "no",
      text: "Retrying won’t help until the limits of the key, the token or the role are changed.",
    },
  },
  NOT_FOUND: {
    title: "Nothing has that name or id",
    happened:
      "The address, or something that the request names, does not exist in the key’s workspace. Anything in another workspace also returns this error.",
    causes: [
      "A message was asked for by `chatMessageId`: use our id, `data.id` of the send.",
      "The template’s name is mistyped, or it is not approved in that language. `en` finds `en_US` where that is the only approved English one; with `templateComponents` the code must be exact.",
      "The template was created at WhatsApp a moment ago, or its webhook did not arrive.",
      "`contactId` names no contact of this workspace.",
      "The path is wrong: the API has three endpoints, all below `/api/v1/public`.",
    ],
    fix: [
      "The message names the nearest match or the approved languages where there are any.",
      "Check that the key has the same workspace and mode as the message, template, contact or line.",
      "Templates arrive by webhook, when a line is connected and every 6 hours. To read them now, press “Sync now” under Dashboard → Templates; WhatsApp is read at most once a minute for each account.",
    ],
    retry: { advice: "no", text: "Correct the name or id first." },
  },
  METHOD_NOT_ALLOWED: {
    title: "Method not allowed",
    happened: "The path exists but does not support this HTTP method. The `Allow` header lists the supported methods.",
    causes: [
      "`GET` on `/messages/send`, which takes `POST`.",
      "A redirect on the way turned a `POST` into a `GET`: look for `http` instead of `https`.",
    ],
    fix: ["Use a method of the `Allow` header, and call the address without a redirect."],
    retry: { advice: "no", text: "Change the method first." },
  },
  REQUEST_TIMEOUT: {
    title: "The request’s body did not arrive",
    happened: "The body was not complete within 10 seconds, so nothing was read and nothing was sent.",
    causes: [
      "`Content-Length` is larger than the body.",
      "A slow or broken connection, or a client that waits for an answer before it sends.",
    ],
    fix: ["Let your HTTP client set `Content-Length` itself.", "Build the whole body before you open the request."],
    retry: { advice: "yes", text: "At once, with the same idempotency key." },
  },
  IDEMPOTENCY_CONFLICT: {
    title: "The idempotency key belongs to another message",
    happened: "The same idempotency key was used before with a different request. Nothing was sent this time.",
    causes: [
      "The key is not unique per message, for example an order number that is used for two notifications.",
      "A retry rebuilt the request with a changed value, such as a time or a fresh link.",
    ],
    fix: [
      "Use a new key for a new message, for example `order-8812-shipped`.",
      "For a retry, store the request and send exactly the same again.",
    ],
    retry: { advice: "no", text: "The pair of key and request will always conflict. The first message is untouched." },
  },
  PAYLOAD_TOO_LARGE: {
    title: "The body is too large",
    happened: "The body of a send is at most 256 KB (262,144 bytes).",
    causes: ["Media was put into the body, for example as base64."],
    fix: ["Pass media as a public address, `header_link` or `c0_header_link`: it is fetched and uploaded for you."],
    retry: { advice: "no", text: "Make the body smaller first. Nothing was sent." },
  },
  RATE_LIMIT_EXCEEDED: {
    title: "Too many requests",
    happened:
      "A limit per 15 minutes is reached. `details.scope` says which: `ip` for the caller’s address, `key` for the API key. Status look-ups count as well.",
    causes: [
      "Status is polled too often: with the default limits, one server on one address reaches the address limit first.",
      "Several servers share one outgoing address.",
    ],
    fix: [
      "Wait for `Retry-After` seconds, then go on; the `RateLimit-*` headers of every answer show what is left.",
      "Poll less: after 5 s, 15 s, 60 s, 5 min and 30 min.",
    ],
    retry: {
      advice: "yes",
      text: "After the seconds in `Retry-After`, with the same idempotency key. Nothing was sent.",
    },
  },
  INTERNAL_ERROR: {
    title: "Something failed on our side",
    happened: "An unexpected failure. It is logged under the request id in `details.requestId`.",
    causes: ["A fault in this deployment, not in your request."],
    fix: [
      "Repeat the send with the same idempotency key: it can never send the message twice.",
      "If it persists, give the request id to the operator of this deployment.",
    ],
    retry: { advice: "yes", text: "With the same idempotency key, and a growing pause between attempts." },
  },
  SERVICE_UNAVAILABLE: {
    title: "The service cannot answer right now",
    happened:
      "The database is unavailable, or too much arrives at once, so the request could not be checked or stored.",
    causes: [
      "A restart, an upgrade or an outage of this deployment’s database: unreachable, slow, full or misconfigured.",
      "A restore of this deployment’s database from a backup: live sends wait until its operator confirms that none is repeated.",
      "Many large media links at the same moment, which are fetched before they are uploaded.",
    ],
    fix: ["Wait for `Retry-After` seconds and repeat the request with the same idempotency key."],
    retry: {
      advice: "yes",
      text: "After `Retry-After`, with the same idempotency key: the message is then sent once, whatever happened before.",
    },
  },
};

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, text);
}

export const ERROR_CODES: ErrorCode[] = Object.keys(ERROR_STATUS).filter(isErrorCode);

/** The table of codes holds the first. One code has another, if WhatsApp, not the caller, caused the error. */
export function statusesOf(code: ErrorCode): number[] {
  return code === "CHAT_GRAPH_ERROR" ? [ERROR_STATUS[code], 502] : [ERROR_STATUS[code]];
}

/** The advice, emphasized, which pages render as a chip. */
export const ADVICE: Record<ErrorPage["retry"]["advice"], string> = {
  yes: "*Yes*",
  no: "*No*",
  sometimes: "*It depends*",
};
