/**
 * Preloaded into a server: its clock is off by `FAULT_CLOCK_MS`, and each SIGUSR2 makes it jump by `FAULT_CLOCK_JUMP_MS`.
 * Timers and the monotonic clock go on, as they do where a machine's time is set.
 */
let shiftMs = Number(process.env.FAULT_CLOCK_MS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  // Of its own, because Next copies a class without what it inherits.
  static UTC = RealDate.UTC;
  static parse = RealDate.parse;

  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + shiftMs] : parts));
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};

process.on("SIGUSR2", () => {
  shiftMs += Number(process.env.FAULT_CLOCK_JUMP_MS ?? 0);
});
