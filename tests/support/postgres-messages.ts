export type ClientMessage = { type: number | undefined; bytes: Buffer };

/** Cuts a client's bytes into messages. The first of a connection has no type. */
export const messageReader = () => {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: ClientMessage[] = [];
    for (;;) {
      const head = isStarted ? 1 : 0;
      const end = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readInt32BE(head);
      if (rest.length < end) return messages;
      messages.push({ type: isStarted ? rest[0] : undefined, bytes: rest.subarray(0, end) });
      rest = rest.subarray(end);
      isStarted = true;
    }
  };
};

/** An ErrorResponse of Postgres: `S` and `V` severity, `C` SQLSTATE, `M` text. */
export const errorResponse = (fields: Record<string, string>): Buffer => {
  const body = Object.entries(fields).map(([key, value]) => `${key}${value}\0`);
  const text = Buffer.from(`${body.join("")}\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
};
