import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAULT_POINTS } from "../faults/fault-points";
import { VARIANTS } from "../faults/variants";

test.each([{ name: "fault points", patches: FAULT_POINTS }, ...VARIANTS])(
  "each text that the build of “$name” replaces is in its file exactly once",
  ({ patches }) => {
    const places = patches.flatMap((patch) =>
      "from" in patch ? [{ ...patch, times: readFileSync(patch.file, "utf8").split(patch.from).length - 1 }] : [],
    );
    expect(places.filter(({ times }) => times !== 1)).toEqual([]);
  },
);
