import { describe, expect, test } from "vitest";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { newId } from "@/lib/core/new-id";

describe("a search for contacts", () => {
  test.each(["+44 7700", "447700", "0044 7700", "44-7700", "\u202a+44 7700\u202c", "44‑7700"])(
    "owners find numbers by their beginning: %s",
    (given) => {
      expect(readContactSearch(given, "owner")).toEqual({
        by: "phone",
        phones: { from: "447700", to: "447700999999999", like: "447700%" },
      });
    },
  );

  test("members find whole numbers only, and all of their mask, so that neither digits nor guesses undo it", () => {
    const search = readContactSearch("+44 7700 900 126", "member");
    expect(search).toEqual({
      by: "phone",
      phones: { from: "44770", to: "447709999999999", like: "44770%0126" },
    });
    expect(readContactSearch("447705550126", "member")).toEqual(search);
    expect(readContactSearch("44770", "member")?.by).toBe("name");
  });

  test("anything else is the beginning of a name, and an id is an id", () => {
    expect(readContactSearch("  Ada L", "member")).toEqual({ by: "name", prefix: "ada l" });
    const id = newId("ct");
    expect(readContactSearch(`see ${id}`, "member")).toEqual({ by: "id", id });
  });

  test.each([undefined, "", "  ", "\0", "\u200b\u202c"])("%j searches for no one in particular", (given) => {
    expect(readContactSearch(given, "owner")).toBeUndefined();
  });
});
