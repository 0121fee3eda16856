import { describe, expect, test } from "vitest";
import { messageStatus } from "@/db/schema/messages";
import { ERROR_CODES, POLL_AT_SECONDS, STATUSES, type TemplateFilter } from "@/lib/docs/client";
import { POLL_AT_SECONDS as DOCUMENTED } from "@/lib/docs/polling";
import { parseTemplateQuery } from "@/lib/public-api/template-query";
import { ERROR_CODES as CATALOGUED } from "@/lib/reference/error-catalogue";

describe("the client's own copies", () => {
  test("its error codes are those of the catalogue", () => {
    expect([...ERROR_CODES].toSorted()).toEqual([...CATALOGUED].toSorted());
  });

  test("it asks when the docs say", () => {
    expect(POLL_AT_SECONDS).toEqual(DOCUMENTED);
  });

  test("its statuses stand in the order in which they advance", () => {
    expect(STATUSES).toEqual(messageStatus.enumValues);
  });

  test("its filters are those that the list reads", () => {
    const filter: Required<TemplateFilter> = { name: "a", language: "b", category: "c", phoneNumberId: "d" };
    expect(parseTemplateQuery(new URLSearchParams(filter))).toMatchObject(filter);
  });
});
