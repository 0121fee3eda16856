export type Option = { value: string; word: string };

/** A choice of each value, under its own name or under `word`. */
export function optionsOf<Value extends string>(
  values: readonly Value[],
  word: (value: Value) => string = String,
): Option[] {
  return values.map((value) => ({ value, word: word(value) }));
}

/** A choice of each record, under its label. */
export function labelled(records: readonly { id: string; label: string }[]): Option[] {
  return records.map(({ id, label }) => ({ value: id, word: label }));
}

/** What a list is narrowed by: a choice of values, or something typed. */
export type Filter = {
  label: string;
  options?: Option[];
  type?: "text" | "date" | "datetime-local";
  /** The value of a choice without "Any" when the address names none. */
  standard?: string;
  /** Whether a typed one stands beside the choices, not behind "More". */
  isInSight?: boolean;
};

/** From and to, as days or to the minute. */
export function periodFilters(type: "date" | "datetime-local" = "date"): { from: Filter; to: Filter } {
  return { from: { label: "From", type }, to: { label: "To", type } };
}
