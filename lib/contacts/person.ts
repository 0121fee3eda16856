import type { Mode } from "@/db/schema";
import type { Identifier } from "./names";

/** A contact and all its names. */
export type Person = {
  id: string;
  createdMs: number;
  /** The number to show and to send to. */
  phone: string | null;
  displayName: string | null;
  lastInboundMs: number | null;
  /** The newest marketing preference in each mode: test mode's changes nothing of what live keys may send. */
  preferences: Partial<Record<Mode, Preference>>;
  /** Keys of the last things that they did, the newest last. */
  recentEvents: string[];
  names: Identifier[];
};

/** A person stopped marketing messages or allowed them again, in WhatsApp's settings or by a word to the workspace. */
export type Preference = { isStop: boolean; source: "whatsapp" | "word"; atMs: number };

/** A person used some names, or a status of a message to them mentions some. */
export type Seen = {
  kind: "seen";
  /** The line's business account at WhatsApp. */
  account: string;
  numbers: readonly string[];
  userId: string | null;
  atMs: number;
  /** The person wrote a message; otherwise the names are from a status or response of WhatsApp's. */
  hasWritten: boolean;
  opensWindow: boolean;
  displayName: string | null;
  /** Of what they did: the same in every repetition. */
  key?: string;
  preference?: (Omit<Preference, "atMs"> & { mode: Mode }) | undefined;
  /** The contact that the related message of ours was sent to, and the number or id it went to. */
  sentTo: string | null;
  sentToName: string | null;
  /** Whether it is certainly that contact: a status of a message to a number may concern the number's next owner. */
  isSentToCertain: boolean;
};

/** WhatsApp announced that a person gave up one name for another. */
export type Moved = { kind: "moved"; account: string; from: NamePair; to: NamePair; atMs: number; key?: string };
export type NamePair = { number: string | null; userId: string | null };

/** The workspace names a number itself: by hand, in a file or at its set-up. That does not prove who uses it. */
export type Given = {
  kind: "given";
  number: string;
  /** Replaces the contact's name; null keeps it. */
  displayName: string | null;
  atMs: number;
  /** The contact that gets the number; null for its holder. */
  contactId: string | null;
  /** Whether it may be from an old list: then a number that a person of this name has left is no new person's. */
  mayBeOld: boolean;
};

/** An event about a person, in one workspace. */
export type PersonEvent = { workspaceId: string } & (Seen | Moved | Given);

export type Joined = {
  /** The remaining people, with their new state. */
  people: Person[];
  /** Merged contacts: the former id, mapped to the id that stays. */
  merged: Map<string, string>;
  /** The contact of each event, in order; null if it proves nothing. */
  contactIds: (string | null)[];
  /** The places of events that their person's last ones contain already. */
  repeated: Set<number>;
};
