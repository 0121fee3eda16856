import fc, { type Arbitrary } from "fast-check";
import { json, text, type Vocabulary } from "./values";

const mostly = (good: Arbitrary<unknown>, other: Arbitrary<unknown>) =>
  fc.oneof({ weight: 15, arbitrary: good }, other);
const printable = fc.string({ unit: "grapheme-ascii", maxLength: 60 });

/** Calls of `listen`: a session's, a stranger's, with results of deliveries that are there and that are not. */
export const listenBodies = ({ listener, deliveryId }: Vocabulary): Arbitrary<unknown> => {
  const result = fc.record(
    {
      id: mostly(fc.constantFrom(deliveryId, "whd_none"), text),
      attempt: mostly(fc.constantFrom(1, 2, 3), json),
      durationMs: mostly(fc.nat(60_000), json),
      statusCode: mostly(fc.constantFrom(200, 429, 500, 599, null), json),
      failure: mostly(fc.constantFrom(null, "refused"), text),
      response: mostly(fc.option(fc.string({ unit: "grapheme" })), text),
      retryAfter: mostly(fc.constantFrom(null, "0", "99999999999", "Wed, 21 Oct 2015 07:28:00 GMT"), text),
    },
    { noNullPrototype: true },
  );
  const body = fc.record(
    {
      listener: mostly(fc.constant(listener), text),
      forwardTo: mostly(printable, text),
      computer: mostly(printable, text),
      underWay: mostly(fc.nat(16), json),
      results: mostly(fc.array(result, { maxLength: 2 }), json),
      isEnding: mostly(fc.constant(false), json),
    },
    { requiredKeys: ["listener"], noNullPrototype: true },
  );
  return mostly(body, json);
};
