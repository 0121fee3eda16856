import { randomBytes } from "node:crypto";

type KnownError = { title: string; httpStatus?: number };

const KNOWN_ERRORS: Record<number, KnownError> = {
  100: { title: "Invalid parameter" },
  190: { title: "Invalid OAuth access token", httpStatus: 401 },
  130429: { title: "Rate limit hit" },
  131008: { title: "Required parameter is missing" },
  131009: { title: "Parameter value is not valid" },
  131026: { title: "Message undeliverable" },
  131031: { title: "Business Account locked", httpStatus: 403 },
  131042: { title: "Business eligibility payment issue" },
  131047: { title: "Re-engagement message" },
  131049: { title: "This message was not delivered to maintain healthy ecosystem engagement" },
  131050: { title: "Recipient has stopped marketing messages from this business" },
  131051: { title: "Unsupported message type" },
  131056: { title: "(Business Account, Consumer Account) pair rate limit hit" },
  131062: { title: "Business-scoped user id recipients are not supported for this message" },
  132000: { title: "Number of parameters does not match the expected number of params" },
  132001: { title: "Template name does not exist in the translation", httpStatus: 404 },
  132005: { title: "Template hydrated text too long" },
  132012: { title: "Parameter format does not match format in the created template" },
  132015: { title: "Template is paused" },
  132016: { title: "Template is disabled" },
  132018: { title: "There is an issue with the parameters in your template" },
};

type GraphErrorOptions = {
  subcode?: number | undefined;
  type?: "OAuthException" | "GraphMethodException";
  /** Replaces the code's usual title. */
  title?: string;
  /** Replaces the code's usual status. */
  httpStatus?: number;
  /** The text shown to a template's author. */
  userTitle?: string;
};

/** A refusal in WhatsApp's format: `code` determines title and HTTP status, `details` is the readable reason. */
export class GraphError extends Error {
  override readonly name = "GraphError";
  readonly httpStatus: number;

  constructor(
    readonly code: number,
    readonly details: string,
    readonly options: GraphErrorOptions = {},
  ) {
    super(`(#${code}) ${options.title ?? titleOf(code)}`);
    this.httpStatus = options.httpStatus ?? KNOWN_ERRORS[code]?.httpStatus ?? 400;
  }
}

/** Returns WhatsApp's title for `code`; unknown codes also have one. */
export function titleOf(code: number): string {
  return KNOWN_ERRORS[code]?.title ?? "Something new went wrong";
}

/** `{error: {message, type, code, error_subcode?, error_data, error_user_title?, error_user_msg?, fbtrace_id}}` */
export function errorResponse({ message, code, details, httpStatus, options }: GraphError): Response {
  return Response.json(
    {
      error: {
        message,
        type: options.type ?? "OAuthException",
        code,
        error_subcode: options.subcode,
        error_data: { messaging_product: "whatsapp", details },
        error_user_title: options.userTitle,
        error_user_msg: options.userTitle && details,
        fbtrace_id: `A${randomBytes(16).toString("base64url")}`,
      },
    },
    { status: httpStatus },
  );
}

/** The same error for an unknown id, edge or method. */
export function unknownObject(method: string, id: string): GraphError {
  const reason =
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
    "missing permissions, or does not support this operation";
  return new GraphError(100, reason, { subcode: 33, type: "GraphMethodException", title: reason });
}
