import { expect, test } from "vitest";
import { patched } from "../faults/builds";
import { FAULT_POINTS } from "../faults/fault-points";
import { laterRelease } from "../faults/migration-fault";

test.each([...FAULT_POINTS, ...laterRelease()].flatMap((patch) => ("from" in patch ? [patch] : [])))(
  "a fault's patch of $file finds its text exactly once: $from",
  (patch) => {
    expect(patched(patch.file, patch)).toContain(patch.to);
  },
);
