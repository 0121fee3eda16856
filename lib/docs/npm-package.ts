/** The TypeScript client as npm packs it; `scripts/pack-client.mjs` puts it into `public/docs` in every build. */
export const NPM_FILE = "switchboard-client-0.1.0.tgz";
