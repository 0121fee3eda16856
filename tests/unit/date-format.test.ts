import { expect, test } from "vitest";
import { dateFormat } from "@/lib/core/date-format";

test("a moment is reported by the clock and in the form asked for, also after another zone's", () => {
  const at = new Date("2026-09-30T22:05:06Z");
  const reported = (timeZone: string) => [
    dateFormat({ timeZone, dateStyle: "medium" }).format(at),
    dateFormat({ timeZone, timeStyle: "medium" }).format(at),
  ];
  expect(reported("Europe/Berlin")).toEqual(["1 Oct 2026", "00:05:06"]);
  expect(reported("America/New_York")).toEqual(["30 Sept 2026", "18:05:06"]);
  expect(reported("Europe/Berlin")).toEqual(["1 Oct 2026", "00:05:06"]);
});
