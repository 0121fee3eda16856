import { AppError, invalid } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/body-caps";
import { readBody } from "@/lib/public-api/read-body";
import { methodsOf } from "@/lib/server/public-files";
import { isActionBody } from "./action-body";
import { isFromOwnPage } from "./own-origin";

/**
 * Why a request must not reach a page, if so. Pages are read; the one thing posted to them is a server action, and only
 * from a page of ours. The framework would answer what it cannot read with a 500.
 */
export async function pageFault(request: Request, appUrl: string): Promise<AppError | undefined> {
  const allowed = methodsOf(new URL(request.url).pathname);
  if (!allowed.includes(request.method)) {
    const Allow = allowed.join(", ");
    return new AppError("METHOD_NOT_ALLOWED", `${request.method} is not possible here. Use ${Allow}.`, {
      details: { allowed, retryable: false },
      headers: { Allow },
    });
  }
  if (/%00/.test(request.url)) {
    return invalid([{ path: "", message: "The address contains a NUL character (%00). Remove it." }]);
  }
  if (request.method !== "POST") return undefined;
  if (!isFromOwnPage(request.headers, appUrl)) {
    return new AppError("FORBIDDEN", "An action is taken on a page of this site only.", {
      details: { retryable: false },
    });
  }
  try {
    const body = await readBody(request.clone(), { maxBytes: BODY_CAPS.action, from: "forms" });
    if (isActionBody(request.headers, body)) return undefined;
  } catch (fault) {
    if (fault instanceof AppError) return fault;
    throw fault;
  }
  return invalid([{ path: "", message: "The body is not one that a page of this site sends." }]);
}
