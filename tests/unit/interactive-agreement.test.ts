import { expect, test } from "vitest";
import { AppError } from "@/lib/core/app-error";
import { readInteractive } from "@/lib/messages/send/interactive";
import { GraphError } from "@/lib/sandbox/graph-error";
import { checkInteractive } from "@/lib/sandbox/message-rules";
import { ENTRIES, MAX_CHARACTERS } from "@/lib/whatsapp/limits";
import { INTERACTIVE_SAMPLES } from "../support/interactive-samples";

const refusal = (check: () => void): AppError | GraphError | null => {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof AppError || error instanceof GraphError) return error;
    throw error;
  }
};

type Key = string | number;

/** Every place of a JSON value, the value itself included. */
const placesOf = (value: unknown, at: Key[] = []): Key[][] => [
  at,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, Array.isArray(value) ? Number(key) : key]))
    : []),
];

const valueAt = (value: unknown, place: Key[]): unknown =>
  place.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);

const replaced = (value: unknown, [key, ...below]: Key[], by: unknown): unknown => {
  if (key === undefined) return by;
  const inner = replaced(Reflect.get(Object(value), key), below, by);
  if (Array.isArray(value)) return value.with(Number(key), inner);
  return Object.fromEntries([...Object.entries(Object(value)).filter(([name]) => name !== key), [key, inner]]);
};

const LENGTHS = [...new Set(Object.values(MAX_CHARACTERS))].flatMap((most) => [most, most + 1]);

/** What may stand in the place of a value. */
const substitutesFor = (value: unknown): unknown[] => {
  const others = [undefined, null, "", " ", 7, true, [], {}, [7], { a: 1 }];
  if (Array.isArray(value)) {
    const counts = Object.values(ENTRIES).flatMap(([least, most]) => [least, most, most + 1]);
    return [...others, ...counts.map((count) => Array.from({ length: count }, (_, at) => distinct(value[0], at)))];
  }
  if (typeof value === "object") return others;
  return [
    ...others,
    -1,
    1.5,
    10,
    " a",
    "a ",
    "a\nb\nc\nd",
    "A 🎉",
    "4::aW1h",
    "🎉".repeat(20),
    "🎉".repeat(21),
    "https://",
    "https:a.example",
    "https://a.example/b c",
    "http://a.example",
    "ftp://a.example",
    "a.example",
    ...LENGTHS.map((count) => "7".repeat(count)),
  ];
};

/** The `at`th of several entries that differ where WhatsApp wants them to. */
const distinct = (entry: unknown, at: number): unknown =>
  JSON.parse(JSON.stringify(entry), (key, value) =>
    key === "card_index" ? at : ["id", "title"].includes(key) ? `${value}${at}`.slice(0, 20) : value,
  );

/** A change of a card is made on all of them too, as cards are compared. */
const changesOf = (sample: object, place: Key[], by: unknown): unknown[] => {
  const [action, cards, , ...below] = place;
  const one = replaced(sample, place, by);
  if (cards !== "cards" || action === undefined || below.length === 0) return [one];
  return [one, [0, 1].reduce<unknown>((all, card) => replaced(all, [action, cards, card, ...below], by), sample)];
};

/** WhatsApp refuses fields that it does not know; our API lets pass what may be new to us. */
const isOfNewField = (refused: AppError | GraphError | null): boolean =>
  refused instanceof GraphError && refused.details.startsWith("Unexpected key");

const MESSAGES = Object.entries(INTERACTIVE_SAMPLES);

test.each(MESSAGES)("our API and the sandbox agree on every change of %s", (_, sample) => {
  expect(refusal(() => readInteractive(sample))).toBeNull();
  expect(refusal(() => checkInteractive(sample))).toBeNull();
  // What holds of the first entry of a list holds of the others.
  const places = placesOf(sample).filter(
    (place) => place.length > 0 && place.join() !== "type" && !place.some((key) => typeof key === "number" && key > 0),
  );
  const disagreements = places.flatMap((place) =>
    substitutesFor(valueAt(sample, place)).flatMap((by) =>
      changesOf(sample, place, by).flatMap((change) => {
        const changed = JSON.parse(JSON.stringify(change));
        let sent: unknown = changed;
        const ours = refusal(() => {
          sent = readInteractive(changed);
        });
        const theirs = refusal(() => checkInteractive(sent));
        if ((ours === null) === (theirs === null) || isOfNewField(theirs)) return [];
        return [{ place: place.join("."), by, ours: ours?.message, theirs: theirs?.details }];
      }),
    ),
  );
  expect(disagreements).toEqual([]);
});
