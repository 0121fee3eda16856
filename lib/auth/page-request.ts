import { AppError, forbidden, invalidAt, methodNotAllowed } from "@/lib/core/app-error";
import { BODY_CAPS } from "@/lib/core/arriving-bytes";
import { readBody } from "@/lib/http/read-body";
import { methodsOf } from "@/lib/http/requests";
import { streamSource } from "@/lib/http/web-route";
import { isFromOwnPage } from "./own-origin";

/**
 * Returns why a request must not reach a page, if so. Pages accept reads, and POSTs of server actions sent
 * by our pages. Next would return a 500 for anything that it cannot parse.
 */
export async function pageFault(request: Request): Promise<AppError | undefined> {
  const allowed = methodsOf(new URL(request.url).pathname);
  if (!allowed.includes(request.method)) return methodNotAllowed(request.method, allowed);
  if (/%00/.test(request.url)) {
    return invalidAt("", "The address contains a NUL character (%00). Remove it.");
  }
  if (request.method !== "POST") return undefined;
  if (!isFromOwnPage(request.headers)) return forbidden("Actions are accepted only from pages of this site.");
  const copy = { headers: request.headers, body: streamSource(request.clone()) };
  try {
    const body = await readBody(copy, { maxBytes: BODY_CAPS.action, from: "forms" });
    if (await isActionBody(request.headers, body)) return undefined;
  } catch (fault) {
    if (fault instanceof AppError) return fault;
    throw fault;
  }
  return invalidAt("", "The body is not one that a page of this site sends.");
}

/**
 * Whether a POST's body is a form that one of our pages sends to an action. Next logs others as faults of ours: a call that
 * React cannot decode with an empty 200, a form without an action with a 400, and one without its state with a 500.
 */
export async function isActionBody(headers: Headers, body: Uint8Array): Promise<boolean> {
  const type = headers.get("content-type") ?? "";
  const id = headers.get("next-action");
  if (!type.startsWith("multipart/form-data")) return false;
  try {
    const form = await new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
    if (![...form.values()].every((value) => typeof value === "string")) return false;
    return id === null ? isPlainForm(form) : ACTION_ID.test(id) && isCall(form.getAll("0").map(String));
  } catch {
    return false;
  }
}

const ACTION_ID = /^[0-9a-f]{42}$/;
const BOUND = /^\{"id":"[0-9a-f]{42}","bound":"\$@1"\}$/;
const FORM = /^\$K[0-9a-f]+$/;
// React's encodings that our states use: text, undefined, dates, and numbers that JSON lacks.
const ENCODED = /^(?!\$)|^\$(\$|undefined$|D\d{4}-|(-0|NaN|-?Infinity)$)/;
const MAX_LEVELS = 32;

/** A form posted before its script has loaded: the action's id, alone or with its bound state. */
function isPlainForm(form: FormData): boolean {
  const [mark = "", ...more] = [...form.keys()].filter((name) => /^\$ACTION_(ID|REF)_/.test(name));
  const [, id, reference] = /^\$ACTION_(?:ID_([0-9a-f]{42})|REF_(\d+))$/.exec(mark) ?? [];
  const [bound, state] = [0, 1].map((part) => String(form.get(`$ACTION_${reference}:${part}`)));
  if (more.length > 0) return false;
  return id !== undefined || (BOUND.test(bound ?? "") && isState(readList(state, 1)));
}

/** What a script sends: field 0 lists the arguments, the state, if any, and the form in the other fields. */
function isCall([text, ...more]: string[]): boolean {
  const given = readList(text, 2);
  const form = given.pop();
  return more.length === 0 && typeof form === "string" && FORM.test(form) && isState(given);
}

function readList(text = "", most: number): unknown[] {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || value.length > most) throw new Error("not the list of a call");
  return value;
}

function isState(value: unknown, level = 0): boolean {
  if (typeof value === "string") return ENCODED.test(value);
  if (typeof value !== "object" || value === null) return true;
  return level <= MAX_LEVELS && Object.values(value).every((part) => isState(part, level + 1));
}
