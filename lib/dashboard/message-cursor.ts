import { z } from "zod";

/** A place in the message log: just after, or just before, this row. */
export type MessageCursor = { createdAt: Date; id: string };

export const writeCursor = ({ createdAt, id }: MessageCursor): string => `${createdAt.getTime()}-${id}`;

/** Undefined for anything that `writeCursor` did not make. */
export const readCursor = (text: unknown): MessageCursor | undefined => {
  const [, ms, id] = Cursor.safeParse(text).data?.match(SHAPE) ?? [];
  return ms && id ? { createdAt: new Date(Number(ms)), id } : undefined;
};

const Cursor = z.string().max(100);
const SHAPE = /^(\d{12,14})-([a-z0-9_]+)$/i;
