import fc from "fast-check";

// The same cases on every run, so that a failure is a change's and not the day's. `npm run test:fuzz` and
// FAST_CHECK_SEED look for new ones.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_261_120) });
