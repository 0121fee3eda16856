import { AppError, invalid } from "@/lib/errors";
import { isFromOwnPage } from "./own-origin";

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
  if (await isReadable(request)) return undefined;
  return invalid([{ path: "", message: "The body is not one that a page of this site sends." }]);
};

const isReadable = async (request: Request): Promise<boolean> => {
  const copy = request.clone();
  const isCall = request.headers.has("next-action");
  try {
    if (!isForm(request)) return isArguments(await copy.text());
    const form = await copy.formData();
    // A call holds its arguments in part 0; a form that is posted without a script holds bound ones in `$ACTION_…:n`.
    const encoded = [...form].filter(([name]) => (isCall ? name === "0" : /^\$ACTION_\w+:\d+$/.test(name)));
    if (isCall && encoded.length !== 1) return false;
    return encoded.every(([name, value]) => typeof value === "string" && isArguments(value, name === "0"));
  } catch {
    return false;
  }
};

const isForm = ({ headers }: Request) => /^multipart\/form-data\b/i.test(headers.get("content-type") ?? "");

// Of React's encodings those that a page of ours sends: text, a form, undefined, dates, and what was bound to a form.
const ENCODED = /^(?!\$)|^\$(\$|undefined$|K[0-9a-f]+$|D\d{4}-|@[0-9a-f]+$)/;

const isArguments = (text: string, mustBeList = true): boolean => {
  const value: unknown = JSON.parse(text, (_key, part: unknown) => {
    if (typeof part === "string" && !ENCODED.test(part)) throw new Error("an encoding that no page of ours sends");
    return part;
  });
  return Array.isArray(value) || !mustBeList;
};
