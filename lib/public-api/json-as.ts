import type { z } from "zod";
import { invalid } from "@/lib/errors/app-error";
import { parseJsonBytes } from "./json";
import { readBody } from "./read-body";

const MAX_BODY_BYTES = 64 * 1_024;

/** The JSON body of a page's own call. Throws VALIDATION_ERROR with every fault by its path. */
export const readJsonAs = async <Value>(schema: z.ZodType<Value>, request: Request): Promise<Value> => {
  const parsed = schema.safeParse(parseJsonBytes(await readBody(request, { maxBytes: MAX_BODY_BYTES, from: "forms" })));
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
};
