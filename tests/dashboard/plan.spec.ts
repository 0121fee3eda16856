import { setUsed } from "../support/rows";
import { expect, test } from "./dashboard-test";

// Of the 1,000 messages of the plan.
const TOLD = {
  799: undefined,
  900: "At least 90 % of the monthly limit is used",
  1000: "The monthly limit is reached",
};

test("the plan's page and the Overview warn as the limit comes near and when it is reached, and not before", async ({
  page,
  signIn,
  workspace,
}) => {
  for (const [used, reported] of Object.entries(TOLD)) {
    await setUsed(workspace, Number(used));
    for (const path of ["/dashboard/settings/plan", "/dashboard"]) {
      await signIn("member", path);
      await expect(page.getByText(`${Number(used).toLocaleString("en-GB")} of 1,000`).first()).toBeVisible();
      const warnings = page.getByText(/of the monthly limit is used|The monthly limit is reached/);
      await expect(warnings, `${path} at ${used}`).toHaveCount(reported === undefined ? 0 : 1);
      if (reported !== undefined) await expect(warnings).toContainText(reported);
    }
  }
});
