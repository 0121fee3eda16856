import { describe, expect, test } from "vitest";
import { parseSendRequest } from "@/lib/api/read-send-request";
import { SEND_FIELDS } from "@/lib/api/send-fields";
import { CALLS_OF } from "@/lib/docs/calls";
import { openApiDocument } from "@/lib/docs/openapi";
import { readReference } from "@/lib/docs/reference";
import { callWith } from "../support/calls";

const { operations, headers, error } = readReference(openApiDocument("https://messages.example.com"));

describe("the reference", () => {
  test("shows the three endpoints, with every field of a send", () => {
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /messages/send",
      "GET /messages/{messageId}",
      "GET /templates",
    ]);
    const paths = new Set(operations[0]?.bodies.flatMap(({ fields }) => fields.map(({ path }) => path)));
    expect(Object.keys(SEND_FIELDS).filter((name) => !paths.has(name))).toEqual([]);
    expect(paths.has("carousel.cards[].buttonValues[].parameters.text")).toBe(true);
  });

  test("says of every field, parameter and header what it is, and of what type", () => {
    const shown = [
      ...error,
      ...operations.flatMap(({ parameters, bodies, answers }) => [
        ...parameters,
        ...bodies.flatMap(({ fields }) => fields),
        ...answers.flatMap(({ fields, status }) => (status.startsWith("2") ? fields : [])),
      ]),
    ];
    expect(shown.length).toBeGreaterThan(80);
    expect(shown.filter(({ description, type }) => description === "" || type === "").map(({ path }) => path)).toEqual(
      [],
    );
    expect(headers.filter(({ description }) => description === "")).toEqual([]);
  });

  test("has a call for each operation and message type, which its own document takes as an example", () => {
    expect(Object.keys(CALLS_OF)).toEqual(operations.map(({ id }) => id));
    for (const { id, bodies, method } of operations) {
      const types = bodies.flatMap(({ name }) => (name === "" ? [] : [name]));
      expect(Object.keys(CALLS_OF[id] ?? {}).toSorted()).toEqual(types.length > 0 ? types.toSorted() : [""]);
      for (const call of Object.values(CALLS_OF[id] ?? {})) expect(call.method).toBe(method);
    }
    for (const [type, { body }] of Object.entries(CALLS_OF.sendMessage ?? {})) {
      expect(body).toMatchObject({ type });
      expect(parseSendRequest(body, callWith()).ignoredFields).toEqual([]);
    }
  });

  test("reads limits, choices, nulls and what is required", () => {
    const [send, , list] = operations;
    const field = (path: string) => send?.bodies.flatMap(({ fields }) => fields).find((one) => one.path === path);
    expect(field("templateName")).toMatchObject({ limits: ["1 to 512 characters"], isRequired: true });
    expect(field("carousel.cards[].header.format")).toMatchObject({ limits: ["`image`, `video`, `document`"] });
    expect(field("phone")).toMatchObject({ type: "string", isRequired: false });
    const answer = send?.answers.find(({ status }) => status === "201")?.fields;
    expect(answer?.find(({ path }) => path === "data.readAt")).toMatchObject({ isNullable: true, isRequired: true });
    expect(list?.parameters.find(({ path }) => path === "limit")?.limits).toEqual(["1 to 100"]);
  });

  test("has an example of every answer, and the headers of each", () => {
    const answers = operations.flatMap(({ answers }) => answers);
    expect(answers.filter(({ examples }) => examples.length === 0)).toEqual([]);
    const everywhere = headers.filter(({ isEverywhere }) => isEverywhere).map(({ name }) => name);
    expect(everywhere).toContain("RateLimit-Remaining");
    const limited = answers.filter(({ headers }) => headers.includes("Retry-After")).map(({ status }) => status);
    expect([...new Set(limited)].toSorted()).toEqual(["400", "429", "502", "503"]);
  });
});
