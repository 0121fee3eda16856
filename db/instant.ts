/** Reads an instant of a raw statement: they return Postgres' own text, `2026-01-05 12:00:00.123+00`. */
export const readInstant = (text: string): Date => new Date(text);
