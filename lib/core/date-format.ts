type Options = Intl.DateTimeFormatOptions & { timeZone: string };

// Making a format costs a hundred times more than using it, and a list has a hundred moments. Zones and forms are few.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Moments in one form, by the clock of one zone. */
export function dateFormat(options: Options): Intl.DateTimeFormat {
  const name = JSON.stringify(options);
  const format = formats.get(name) ?? new Intl.DateTimeFormat("en-GB", options);
  formats.set(name, format);
  return format;
}
