import { createHash } from "node:crypto";
import { closedPageHeaders } from "@/lib/core/security-headers";

const RETRY_AFTER_SECONDS = 2;
const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:22vh auto 0;max-width:28rem;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0;opacity:.75}`;
const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Returns the page shown while no page process runs. It has no assets and reloads automatically. */
export function unavailablePage(
  why: string,
  { isHttps, isOfPagesOnly = true }: { isHttps: boolean; isOfPagesOnly?: boolean },
): { html: string; headers: Record<string, string | number> } {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS}"><title>Back in a moment · Switchboard</title>
<style>${STYLE}</style></head>
<body><h1>Back in a moment</h1><p>${why} This page reloads automatically.${isOfPagesOnly ? " The API is not affected." : ""}</p></body></html>
`;
  const closed = closedPageHeaders(isHttps);
  const policy = `${closed["Content-Security-Policy"]}; style-src 'sha256-${STYLE_HASH}'`;
  return {
    html,
    headers: {
      ...closed,
      "Content-Security-Policy": policy,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Length": Buffer.byteLength(html),
      "Cache-Control": "no-store",
      "Retry-After": RETRY_AFTER_SECONDS,
    },
  };
}
