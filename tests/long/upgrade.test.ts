import { beforeAll, describe, test } from "vitest";
import { schemaOf } from "../support/schema-states";
import { dropUpgraded, EARLIER, expectUpgradeKeepsRows, newDatabase } from "../support/upgrades";

dropUpgraded();

describe("a database of an earlier release becomes today's and keeps its rows", () => {
  let today: string[];
  beforeAll(async () => {
    today = await schemaOf((await newDatabase(true)).sql);
  });

  test.concurrent.each(EARLIER)("from %s", (tag) => expectUpgradeKeepsRows(tag, today));
});
