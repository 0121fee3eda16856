import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const IDS_A_DRAW = 256;

/** Id prefixes, by the kind of object. */
export type IdPrefix =
  | "ws"
  | "usr"
  | "key"
  | "pn"
  | "ct"
  | "tpl"
  | "msg"
  | "evt"
  | "wh"
  | "whe"
  | "req"
  | "aud"
  | "alr"
  | "mail"
  | "inv"
  | "ses";

/** Random characters for many ids, because each draw is a call into OpenSSL. */
let drawn = Buffer.alloc(0);
let used = 0;

function nextRandom(): string {
  if (used === drawn.length) {
    drawn = randomBytes(IDS_A_DRAW * RANDOM_CHARACTERS);
    for (const [place, byte] of drawn.entries()) drawn[place] = ALPHABET.charCodeAt(byte & 31);
    used = 0;
  }
  used += RANDOM_CHARACTERS;
  return drawn.toString("latin1", used - RANDOM_CHARACTERS, used);
}

/**
 * Creates an id such as `msg_01k…`: prefix, 48 bits of time (so ids sort by creation) and 80 random bits,
 * in lower-case Crockford base 32, safe in a URL.
 */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  let time = "";
  let rest = nowMs;
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return `${prefix}_${time}${nextRandom()}`;
}

/** Returns when an id was created, by its process's clock; undefined if the text is not an id. */
export function timeOfId(id: string): Date | undefined {
  const [, time] = SHAPE.exec(id) ?? [];
  const atMs = [...(time ?? "")].reduce((ms, character) => ms * 32 + ALPHABET.indexOf(character), 0);
  return time !== undefined && atMs < YEAR_10000_MS ? new Date(atMs) : undefined;
}

/** No id is from then or later, and Postgres does not read such years as JavaScript writes them. */
const YEAR_10000_MS = Date.UTC(10_000, 0);

const SHAPE = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/;
