import { describe, expect, test } from "vitest";
import { readContactSearch } from "@/lib/contacts/contact-search";
import { newId } from "@/lib/core/new-id";

describe("a search for contacts", () => {
  const phones = { from: "447700", to: "447700999999999", like: "447700%" };

  test.each(["+44 7700", "0044 7700", "\u202a+44 7700\u202c", "+44‑7700"])(
    "owners find numbers by their beginning alone where it is one: %s",
    (given) => expect(readContactSearch(given, "owner")).toEqual({ by: "phone", phones }),
  );

  test.each(["447700", "44-7700", "44‑7700"])("and else by any part: %s", (given) => {
    expect(readContactSearch(given, "owner")).toEqual({ by: "phone", phones, part: "447700" });
  });

  test("a national 0 is no part of a number, and fewer than four digits are no part to search for", () => {
    expect(readContactSearch("07700 900126", "owner")).toMatchObject({ part: "7700900126" });
    expect(readContactSearch("012", "owner")).not.toHaveProperty("part");
  });

  test("members find whole numbers only, and all of their mask, so that neither digits nor guesses undo it", () => {
    const search = readContactSearch("+44 7700 900 126", "member");
    expect(search).toEqual({
      by: "phone",
      phones: { from: "44770", to: "447709999999999", like: "44770%0126" },
    });
    expect(readContactSearch("447705550126", "member")).toEqual(search);
    for (const part of ["44770", "0126"]) expect(readContactSearch(part, "member")?.by).toBe("name");
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
