import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Agent, fetch } from "undici";
import { frontDoor, ownOrigin } from "@/lib/core/front-door";
import { errorFields, log } from "@/lib/core/log";
import { processWide } from "@/lib/core/process-wide";
import { TWINNED_PAGES } from "@/lib/docs/docs-pages";
import { readTheme, THEME_COOKIE } from "./choice-cookies";
import { cookieValue, readSessionId } from "./session-token";

/** What the front door knows of a request. */
export type AskedPage = { method: string; url: string; headers: Record<string, string | string[] | undefined> };
export type StrangerPage = { headers: Record<string, string>; body: Uint8Array | null };

/** A page as it was rendered once, in pieces: what differs between two strangers goes between them. */
type Rendered = { headers: [string, string][]; pieces: (string | { put: "nonce" | "theme" })[] };

/** The pages that every stranger sees alike, so the pages kept are as many as these. */
const PAGES: ReadonlySet<string> = new Set(["/", ...TWINNED_PAGES]);
/** Not one of `x-switchboard-…`, which the front door drops from every request. */
const RENDER_HEADER = "x-render-token";
const RENDER_TIMEOUT_MS = 10_000;
/** Of the connection or of one answer alone. */
const NOT_KEPT = ["connection", "keep-alive", "transfer-encoding", "content-encoding", "content-length", "date"];
/** Rendering again costs far more than packing what was rendered, and packing harder costs more again. */
const GZIP_LEVEL = 1;

/**
 * A public page for a visitor without a session, rendered once in this process and given a nonce of its own each time:
 * rendering costs up to 100 ms of CPU, and strangers ask at will. Undefined where Next must answer.
 */
export function cachedPublicPage(asked: AskedPage): Promise<StrangerPage | undefined> | undefined {
  const { method, url, headers } = asked;
  const page = url.split("?", 1)[0] ?? "";
  const isForRouter = headers.rsc !== undefined || headers["next-router-state-tree"] !== undefined;
  if ((method !== "GET" && method !== "HEAD") || !PAGES.has(page) || isForRouter) return undefined;
  if (headers[RENDER_HEADER] === renderToken()) return undefined;
  return answer(page, asked);
}

const answer = async (page: string, { method, headers }: AskedPage): Promise<StrangerPage | undefined> => {
  const cookies = `${headers.cookie ?? ""}`;
  if (await readSessionId(cookies)) return undefined;
  const rendered = await renderedOnce(page);
  if (!rendered) return undefined;
  const put = { nonce: randomBytes(16).toString("base64"), theme: readTheme(cookieValue(cookies, THEME_COOKIE)) };
  const html = Buffer.from(
    rendered.pieces.map((piece) => (typeof piece === "string" ? piece : put[piece.put])).join(""),
  );
  // As the front door has read it.
  const isPacked = headers["accept-encoding"] === "gzip";
  const body = isPacked ? await promisify(gzip)(html, { level: GZIP_LEVEL }) : html;
  return {
    headers: {
      ...Object.fromEntries(rendered.headers.map(([name, value]) => [name, value.replaceAll(NONCE, put.nonce)])),
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
      "content-length": `${body.byteLength}`,
    },
    body: method === "HEAD" ? null : body,
  };
};

const renderToken = (): string => processWide("renderToken", () => randomBytes(16).toString("hex"));

/** One rendering for everyone who asks while it runs; a failed one is tried again by the next request. */
const renderedOnce = (page: string): Promise<Rendered | undefined> => {
  const pages = processWide("strangerPages", () => new Map<string, Promise<Rendered | undefined>>());
  const kept = pages.get(page);
  if (kept) return kept;
  const rendering = render(page).then((rendered) => {
    if (!rendered) pages.delete(page);
    return rendered;
  });
  pages.set(page, rendering);
  return rendering;
};

const render = async (page: string): Promise<Rendered | undefined> => {
  // Straight to this process: at the front door it would wait for a place behind those that wait for this page.
  const dispatcher = new Agent({ connect: { socketPath: frontDoor()?.pagesSocket } });
  try {
    const response = await fetch(`${ownOrigin()}${page}`, {
      headers: { [RENDER_HEADER]: renderToken(), cookie: `${THEME_COOKIE}=system` },
      redirect: "error",
      dispatcher,
      signal: AbortSignal.timeout(RENDER_TIMEOUT_MS),
    });
    const html = await response.text();
    const nonce = /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1];
    if (response.status !== 200 || !nonce || response.headers.has("set-cookie")) return undefined;
    const headers = [...response.headers]
      .filter(([name]) => !NOT_KEPT.includes(name))
      .map(([name, value]): [string, string] => [name, value.replaceAll(nonce, NONCE)]);
    return { headers, pieces: piecesOf(html.replaceAll(nonce, NONCE)) };
  } catch (error) {
    log("warn", "page.not-rendered", errorFields(error));
    return undefined;
  } finally {
    void dispatcher.close();
  }
};

const NONCE = "{{nonce}}";
/** The attribute, and the same in the script that brings the page to life. */
const THEME = /(data-theme="|\\"data-theme\\":\\")system/g;

const piecesOf = (html: string): Rendered["pieces"] =>
  html
    .replace(THEME, "$1{{theme}}")
    .split(/\{\{(nonce|theme)\}\}/)
    .map((piece, index) => (index % 2 === 1 ? { put: piece === "nonce" ? "nonce" : "theme" } : piece));
