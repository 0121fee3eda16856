import { expect, test } from "vitest";
import { templates } from "@/db/schema";
import { provenWorkspaceId } from "@/lib/core/principal";
import { rowsOf } from "@/lib/workspaces/rows-of";

const OWN = provenWorkspaceId("ws_1");

test("a value that the table has no column for is an error, not a condition that is left out", () => {
  const filter = { status: "APPROVED", country: "GB" };
  expect(() => rowsOf(templates, OWN, filter)).toThrow("the table has no column of country");
  const unset = { ...filter, country: undefined };
  expect(() => rowsOf(templates, OWN, unset)).not.toThrow();
});
