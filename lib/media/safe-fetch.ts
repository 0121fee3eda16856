import { Client, type Dispatcher, request } from "undici";
import { AppError, invalid } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { hostLookup } from "@/lib/core/host-lookup";
import { codeOrClass } from "@/lib/core/log";
import { shorten } from "@/lib/core/text";
import { MEDIA } from "@/lib/whatsapp/limits";
import type { MediaFormat } from "@/lib/whatsapp/message-payload";
import { documentName } from "./document-name";
import { mediaTypeOf } from "./media-link";
import type { MediaShare } from "./media-share";
import { hostAndPort, LOOKUP_TIMEOUT_MS, mayBePublic, NotPublic, publicLookup } from "./public-address";

/** `fileName` is the name that recipients see for a document; null for pictures and videos. */
export type FetchedMedia = { bytes: Uint8Array<ArrayBuffer>; mimeType: string; fileName: string | null };

const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** With the look-up of its host. */
const CONNECT_TIMEOUT_MS = 5_000;
const MEBIBYTE = 1024 * 1024;
const MAX_SHOWN_CHARACTERS = 200;

const RULES: Record<MediaFormat, { mimeTypes: readonly string[]; maxMebibytes: number; words: string }> = {
  image: { ...MEDIA.image, words: "a JPEG or PNG image" },
  video: { ...MEDIA.video, words: "an MP4 or 3GP video" },
  // Narrower than WhatsApp's limits, which allow office files and 100 MB.
  document: { mimeTypes: ["application/pdf"], maxMebibytes: 16, words: "a PDF document" },
};

/** A refused link. The message is for the caller and continues the sentence after the URL. */
class MediaRefusal extends Error {
  override readonly name = "MediaRefusal";
}

type Reading = { format: MediaFormat; share: MediaShare; signal: AbortSignal };

/**
 * Fetches a caller's link within `timeoutMs` in all, from public addresses only. Throws a VALIDATION_ERROR on
 * `field` that says what was fetched and why it was refused, or SERVICE_UNAVAILABLE if `share` has no room.
 */
export async function fetchMedia(
  link: string,
  { format, field, timeoutMs, share }: { format: MediaFormat; field: string; timeoutMs: number; share: MediaShare },
): Promise<FetchedMedia> {
  const hops = [link];
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await share.inPlace(() => follow(hops, { format, share, signal }));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid([{ path: field, message: `${describeHops(hops)} ${refusalWords(error, timeoutMs)}` }]);
  }
}

/** Checks each redirect separately, as a public host may redirect to a private one; adds each URL to `hops`. */
async function follow(hops: string[], reading: Reading): Promise<FetchedMedia> {
  const [link = ""] = hops;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const url = checkedUrl(hops.at(-1) ?? "");
    const hop = await readHop(url, link, reading);
    if ("bytes" in hop) return hop;
    hops.push(hop.redirect);
  }
  throw new MediaRefusal(`is more than ${MAX_REDIRECTS} redirects away. Pass the final address.`);
}

/** Makes one request on its own connection, which is closed at the end. `link` is the caller's own. */
async function readHop(
  url: URL,
  link: string,
  { format, share, signal }: Reading,
): Promise<FetchedMedia | { redirect: string }> {
  const lookup = isTrustedUrl(url) ? hostLookup : publicLookup(signal);
  const client = new Client(url.origin, { connect: { timeout: CONNECT_TIMEOUT_MS, lookup } });
  try {
    const answer = await request(url, {
      dispatcher: client,
      headers: { accept: RULES[format].mimeTypes.join(", "), "accept-encoding": "identity" },
      signal,
    });
    if (!REDIRECTS.includes(answer.statusCode)) {
      const media = await readMedia(answer, { format, share });
      return { ...media, fileName: format === "document" ? documentName(link, disposition(answer)) : null };
    }
    discard(answer.body);
    return { redirect: redirectTarget(answer, url) };
  } finally {
    // Not awaited: it closes the connection immediately and settles later.
    client.destroy().catch(() => undefined);
  }
}

function checkedUrl(link: string): URL {
  if (!URL.canParse(link)) throw new MediaRefusal("is not an address. Pass an absolute http or https address.");
  const url = new URL(link);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new MediaRefusal("is neither http nor https. Pass an http or https address.");
  }
  if (url.username || url.password) {
    throw new MediaRefusal("holds a user name or password. Pass an address that needs neither.");
  }
  if (isTrustedUrl(url)) return url;
  const port = url.port || "80";
  if (port !== "80" && port !== "443") throw new MediaRefusal(`uses port ${port}. Only ports 80 and 443 are fetched.`);
  if (!mayBePublic(url)) throw new NotPublic();
  return url;
}

/** Internal media hosts that the operator lists as host:port are exempt from the address and port rules. */
const isTrustedUrl = (url: URL): boolean => env().MEDIA_FETCH_ALLOW.includes(hostAndPort(url));

function redirectTarget({ headers, statusCode }: Dispatcher.ResponseData, from: URL): string {
  const { location } = headers;
  if (typeof location !== "string" || !URL.canParse(location, from)) {
    throw new MediaRefusal(`answered HTTP ${statusCode} without a usable location. Pass the final address.`);
  }
  return new URL(location, from).href;
}

async function readMedia(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { format, share }: Omit<Reading, "signal">,
): Promise<Omit<FetchedMedia, "fileName">> {
  if (statusCode !== 200) {
    discard(body);
    throw new MediaRefusal(`answered HTTP ${statusCode}. Pass an address that answers 200 with the media.`);
  }
  const { maxMebibytes, mimeTypes, words } = RULES[format];
  const tooLarge = new MediaRefusal(
    `is larger than ${maxMebibytes} MB, the most for this kind of media. Make it smaller.`,
  );
  if (Number(headers["content-length"]) > maxMebibytes * MEBIBYTE) {
    discard(body);
    throw tooLarge;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const source: AsyncIterable<Uint8Array> = body;
  for await (const chunk of source) {
    length += chunk.byteLength;
    if (length > maxMebibytes * MEBIBYTE) throw tooLarge;
    await share.hold(chunk.byteLength);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const mimeType = mediaTypeOf(bytes);
  if (mimeType === undefined || !mimeTypes.includes(mimeType)) {
    throw new MediaRefusal(`is ${mimeType ?? "of an unknown type"} by its first bytes. Pass ${words}.`);
  }
  return { bytes, mimeType };
}

function disposition({ headers }: Dispatcher.ResponseData): string | undefined {
  const value = headers["content-disposition"];
  return typeof value === "string" ? value : undefined;
}

/** Discards an unread response. undici reports that as an error, which would crash the process if unhandled. */
function discard(body: Dispatcher.ResponseData["body"]): void {
  body.on("error", () => undefined).destroy();
}

/** Describes what was fetched: the caller's link and its redirects. */
function describeHops([link = "", ...redirects]: string[]): string {
  const last = redirects.at(-1);
  return last === undefined ? shown(link) : `${shown(link)} redirects to ${shown(last)}, which`;
}

/** Removes query and credentials, which may contain secrets that must not appear in errors or logs. */
function shown(link: string): string {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  const text = url ? `${url.protocol}//${url.host}${url.pathname}` : link;
  return `"${shorten(text, MAX_SHOWN_CHARACTERS)}"`;
}

const NO_DNS_ANSWER = ["ETIMEOUT", "ECANCELLED"];

function refusalWords(error: unknown, timeoutMs: number): string {
  if (error instanceof MediaRefusal) return error.message;
  if (error instanceof NotPublic) {
    return "does not lead to a public internet address. Host the media at a public address.";
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    return `was not fetched whole within ${timeoutMs / 1_000} s. Use a faster host.`;
  }
  const code = codeOrClass(error);
  if (NO_DNS_ANSWER.includes(code)) {
    return `could not be fetched: DNS did not answer within ${LOOKUP_TIMEOUT_MS / 1_000} s. Check that the address works in a browser.`;
  }
  return `could not be fetched (${code}). Check that the address works in a browser.`;
}
