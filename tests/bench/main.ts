// `npm run bench -- NAME [options]`: without a name the calls.
export {};

/** Each measures as soon as it is loaded, and reads its options from the command line. */
const BENCHES: Record<string, () => Promise<unknown>> = {
  calls: () => import("./bench"),
  observed: () => import("./observed-sends"),
  dashboard: () => import("./dashboard"),
  growth: () => import("./growth"),
  "message-bytes": () => import("./message-bytes"),
  "partner-events": () => import("./partner-events"),
  "partner-neighbours": () => import("./partner-neighbours"),
  "public-pages": () => import("./public-pages"),
};

const isNamed = /^[a-z]/.test(process.argv[2] ?? "");
const [bench = "calls"] = isNamed ? process.argv.splice(2, 1) : [];
const measure = Object.hasOwn(BENCHES, bench) ? BENCHES[bench] : undefined;
if (!measure) {
  console.error(`There is no benchmark "${bench}". There are ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}
await measure();
