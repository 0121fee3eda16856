/** Whether it names a place of the time zone database. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are no places: they know no summer time, and Postgres reads their sign the other way.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

/** Every zone to choose from, by its name. */
export function timeZoneNames(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}
