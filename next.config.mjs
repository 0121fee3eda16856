import path from "node:path";
import { fileURLToPath } from "node:url";

process.env.NEXT_TELEMETRY_DISABLED = "1";

const NOTHING_RUNS = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  // Left to itself Next takes the highest folder with a lock file, and that may be anybody's.
  turbopack: { root: path.dirname(fileURLToPath(import.meta.url)) },
  reactStrictMode: true,
  // A title that streams may come later than its page, which then has none for a moment each time it is read anew.
  htmlLimitedBots: /.*/,
  // `npm run build` checks the types before, and `npm test` in a step of its own; the demo takes the code as it is.
  typescript: { tsconfigPath: "tsconfig.build.json", ignoreBuildErrors: true },
  // A redirect would answer API calls in another shape than ours; both spellings reach the same route.
  skipTrailingSlashRedirect: true,
  // proxy.ts and the routes write the rest; the built files and pictures have nobody else to do it.
  headers: async () => [
    { source: "/:path*", headers: [{ key: "X-Content-Type-Options", value: "nosniff" }] },
    // Beyond proxy.ts: a file that is not there is answered with a page.
    { source: "/_next/:path*", headers: [{ key: "Content-Security-Policy", value: NOTHING_RUNS }] },
  ],
  // Nothing here uses it: whoever asks it for a path makes the server call itself, past the front door, and log the path.
  images: { unoptimized: true },
  // It answers a request that carries `RSC` with a redirect, API calls too. It keeps caches in front from mixing up pages,
  // and ours are all `no-store`.
  experimental: { validateRSCRequestHeaders: false },
  rewrites: async () => ({
    beforeFiles: [
      // Asked for by browsers where no page names an icon, as beside JSON.
      { source: "/favicon.ico", destination: "/icon.svg" },
      // A folder with a parameter cannot end in `.md`.
      { source: "/:page(docs|docs/.*).md", destination: "/markdown/:page" },
    ],
  }),
  // Read as they are written, at run time; a build that is traced takes no source along by itself.
  outputFileTracingIncludes: { "/**": ["./clients/typescript/src/*.ts", "./lib/docs/pages/**"] },
  serverExternalPackages: ["postgres", "undici", "@node-rs/argon2", "prom-client"],
};
