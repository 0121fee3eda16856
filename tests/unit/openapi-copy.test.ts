import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "@/lib/docs/openapi";
import { breakingChanges } from "../../scripts/openapi-changes";

const FILE = "docs/openapi.json";
const committed = JSON.parse(readFileSync(FILE, "utf8"));
const served = openApiDocument("https://switchboard.example");

describe("the committed description of the API", () => {
  test("is what is served: nothing breaks a caller, and `npm run openapi` was run", () => {
    expect(breakingChanges(committed, served)).toEqual([]);
    expect(committed).toEqual(served);
  });

  test("has no fault and no warning by Redocly's rules", () => {
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const cli = "node_modules/@redocly/cli/bin/cli.js";
    const options = { env, encoding: "utf8", stdio: "pipe" } as const;
    const { totals } = JSON.parse(execFileSync(process.execPath, [cli, "lint", FILE, "--format=json"], options));
    expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  });
});

type Place = Record<string, unknown>;

/** The description with a change at a place of it, made on a copy. */
const changed = (path: string, change: (place: Place) => unknown): Place => {
  const copy: Place = structuredClone(committed);
  change(path.split(" ").reduce((place, step) => place[step] as Place, copy));
  return copy;
};

const TEMPLATES = "paths /templates get";
const SEND = "components schemas SendText";
const MESSAGE = "components schemas Message";

const without = (name: string) => (place: Place) => delete place[name];
const having = (more: Place) => (place: Place) => Object.assign(place, more);

describe("a change of the description breaks callers", () => {
  test.each<[string, string, (place: Place) => unknown, RegExp]>([
    ["a call is gone", "paths", without("/templates"), /^GET \/templates is gone$/],
    ["an event is gone", "webhooks", without("message"), /^POST message is gone$/],
    ["a response is gone", `${TEMPLATES} responses`, without("200"), /the response 200 is gone/],
    ["a parameter is gone", `${TEMPLATES} parameters`, having({ 0: {} }), /the parameter query name is gone/],
    ["a parameter is required", `${TEMPLATES} parameters 0`, having({ required: true }), /query name is required now/],
    ["a field of a send is gone", `${SEND} properties`, without("contactId"), /contactId is gone/],
    ["a field of a send is required", SEND, having({ required: ["phone"] }), /SendText\.phone is required now/],
    [
      "it may be shorter, beside null",
      `${SEND} properties content anyOf 0`,
      having({ maxLength: 10 }),
      /tighter maxLength/,
    ],
    ["a field of a message is gone", `${MESSAGE} properties`, without("readAt"), /Message\.readAt is gone/],
    ["it may be missing", MESSAGE, having({ required: ["id"] }), /Message\.status may be missing now/],
    ["it has another type", `${MESSAGE} properties id`, having({ type: "integer" }), /id is integer now, not string/],
    ["it may be null", `${MESSAGE} properties id`, having({ type: ["string", "null"] }), /id is string or null now/],
    ["a credential is gone", "components securitySchemes", without("xApiKey"), /xApiKey is gone/],
  ])("%s", (_, path, change, words) => {
    expect(breakingChanges(committed, changed(path, change))).toContainEqual(expect.stringMatching(words));
  });

  test.each<[string, string, Place]>([
    ["a call", "paths", { "/new": { get: { responses: {} } } }],
    ["a field of a message", `${MESSAGE} properties`, { more: { type: "string" } }],
    ["a field of a send", `${SEND} properties`, { more: { type: "string" } }],
    ["a status", `${MESSAGE} properties status`, { enum: ["SENT", "RECALLED"] }],
  ])("but not where %s is new", (_, path, more) => {
    expect(breakingChanges(committed, changed(path, having(more)))).toEqual([]);
  });
});
