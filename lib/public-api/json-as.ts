import type { z } from "zod";
import { invalid } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/body-caps";
import { parseJsonBytes } from "./json";
import { readBody } from "./read-body";

/** The JSON body of a page's own call. Throws VALIDATION_ERROR with every fault by its path. */
export async function readJsonAs<Value>(schema: z.ZodType<Value>, request: Request): Promise<Value> {
  const parsed = schema.safeParse(parseJsonBytes(await readBody(request, { maxBytes: BODY_CAPS.form, from: "forms" })));
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
}
