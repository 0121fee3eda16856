import { z } from "zod";

/** A place in a list by time: just after, or just before, this row. */
export type PageCursor = { createdAt: Date; id: string };

export function writeCursor({ createdAt, id }: PageCursor): string {
  return `${createdAt.getTime()}-${id}`;
}

/** Undefined for anything that `writeCursor` did not make. */
export function readCursor(text: unknown): PageCursor | undefined {
  const [, ms, id] = Cursor.safeParse(text).data?.match(SHAPE) ?? [];
  return ms && id ? { createdAt: new Date(Number(ms)), id } : undefined;
}

const Cursor = z.string().max(100);
const SHAPE = /^(\d{12,14})-([a-z0-9_]+)$/i;
