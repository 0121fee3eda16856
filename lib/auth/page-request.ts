import { AppError, invalid } from "@/lib/errors";
import { readBody } from "@/lib/public-api/read-body";
import { isFromOwnPage } from "./own-origin";

// Reading a body costs time that everybody else waits for, and whoever writes an Origin of ours needs no session for it.
const MAX_BODY_BYTES = 256 * 1_024;
const METHODS = ["GET", "HEAD", "POST"];
const ALLOW = METHODS.join(", ");

/**
 * Why a request must not reach a page, if so. Pages are read; the one thing posted to them is a server action, and only
 * from a page of ours. The framework would answer what it cannot read with a 500.
 */
export const pageFault = async (request: Request, appUrl: string): Promise<AppError | undefined> => {
  if (!METHODS.includes(request.method)) {
    return new AppError("METHOD_NOT_ALLOWED", `${request.method} is not possible here. Use ${ALLOW}.`, {
      details: { allowed: METHODS, retryable: false },
      headers: { Allow: ALLOW },
    });
  }
  if (request.method !== "POST") return undefined;
  if (!isFromOwnPage(request.headers, appUrl)) {
    return new AppError("FORBIDDEN", "An action is taken on a page of this site only.", {
      details: { retryable: false },
    });
  }
  try {
    const body = await readBody(request.clone(), MAX_BODY_BYTES);
    if (await isReadable(request.headers, body)) return undefined;
  } catch (fault) {
    if (fault instanceof AppError) return fault;
    throw fault;
  }
  return invalid([{ path: "", message: "The body is not one that a page of this site sends." }]);
};

const isReadable = async (headers: Headers, body: Uint8Array): Promise<boolean> => {
  const isCall = headers.has("next-action");
  try {
    if (!isForm(headers)) return isArguments(new TextDecoder().decode(body));
    const form = await new Response(Buffer.from(body), {
      headers: { "Content-Type": contentType(headers) },
    }).formData();
    // A call holds its arguments in part 0; a form that is posted without a script holds bound ones in `$ACTION_…:n`.
    const encoded = [...form].filter(([name]) => (isCall ? name === "0" : /^\$ACTION_\w+:\d+$/.test(name)));
    if (isCall && encoded.length !== 1) return false;
    return encoded.every(([name, value]) => typeof value === "string" && isArguments(value, name === "0"));
  } catch {
    return false;
  }
};

const contentType = (headers: Headers) => headers.get("content-type") ?? "";
const isForm = (headers: Headers) => /^multipart\/form-data\b/i.test(contentType(headers));

// Of React's encodings those that a page of ours sends: text, a form, undefined, dates, and what was bound to a form.
const ENCODED = /^(?!\$)|^\$(\$|undefined$|K[0-9a-f]+$|D\d{4}-|@[0-9a-f]+$)/;

const isArguments = (text: string, mustBeList = true): boolean => {
  const value: unknown = JSON.parse(text, (_key, part: unknown) => {
    if (typeof part === "string" && !ENCODED.test(part)) throw new Error("an encoding that no page of ours sends");
    return part;
  });
  return Array.isArray(value) || !mustBeList;
};
