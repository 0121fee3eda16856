/** Preloaded into a server: its clock is off by `FAULT_CLOCK_MS`. */
const shiftMs = Number(process.env.FAULT_CLOCK_MS ?? 0);
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
