import { describe, expect, test } from "vitest";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { newId } from "@/lib/ids";

describe("a search for contacts", () => {
  test.each(["+44 7700", "447700", "0044 7700", "44-7700"])("owners find numbers by their beginning: %s", (given) => {
    expect(readContactSearch(given, "owner")).toEqual({ by: "phone", from: "447700", to: "447700999999999" });
  });

  test("members find whole numbers only, so that a mask cannot be undone digit by digit", () => {
    expect(readContactSearch("+44 7700 900 126", "member")).toEqual({
      by: "phone",
      from: "447700900126",
      to: "447700900126",
    });
    expect(readContactSearch("44770", "member")?.by).toBe("name");
  });

  test("anything else is the beginning of a name, and an id is an id", () => {
    expect(readContactSearch("  Ada L", "member")).toEqual({ by: "name", prefix: "ada l" });
    const id = newId("ct");
    expect(readContactSearch(`see ${id}`, "member")).toEqual({ by: "id", id });
  });

  test.each([undefined, "", "  ", "\0"])("%j searches for nobody in particular", (given) => {
    expect(readContactSearch(given, "owner")).toBeUndefined();
  });
});
