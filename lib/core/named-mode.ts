import type { Mode } from "@/db/schema/identity";
import { invalid } from "./app-error";
import { readMode } from "./page-mode";

/** The mode that the address of a request names: that of the page or form behind it. Throws VALIDATION_ERROR without one. */
export function namedMode(request: Request): Mode {
  const mode = readMode(new URL(request.url).searchParams.get("mode"));
  if (!mode)
    throw invalid([{ path: "mode", message: "must be `live` or `test`, the mode that the page was opened in." }]);
  return mode;
}
