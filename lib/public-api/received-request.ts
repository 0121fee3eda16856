import type { ApiRequest } from "@/db/schema/requests";

/** One call of the partner API that names a key, whatever became of it. */
export type ReceivedRequest = Omit<ApiRequest, "workspaceId" | "mode" | "apiKeyId"> & {
  /** The public half that the call names; nothing proves that the caller holds the secret. */
  apiKey: string;
};

export type Operation = ApiRequest["operation"];

const PUBLIC_API = "/api/v1/public";

/** Which of the three endpoints a path is meant for. */
export function operationOf(path: string): Operation {
  const below = path.replace(/\/+$/, "").slice(PUBLIC_API.length);
  if (below === "/messages/send") return "send";
  if (/^\/messages\/[^/]+$/.test(below)) return "status";
  return below === "/templates" ? "templates" : "other";
}
