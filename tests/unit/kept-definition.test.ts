import { expect, test } from "vitest";
import type { Template } from "@/db/schema";
import { definitionOf } from "@/lib/templates/definition";

const row = ({ id, text = "Hello {{1}}", atMs = 0, workspaceId = "ws_1" }: Record<string, unknown>): Template =>
  ({
    workspaceId,
    id,
    name: "order",
    language: "en",
    category: "UTILITY",
    parameterFormat: "POSITIONAL",
    components: [{ type: "BODY", text }],
    updatedAt: new Date(Number(atMs)),
  }) as unknown as Template;

test("a row is read once for each of its changes", () => {
  const first = definitionOf(row({ id: "tpl_1" }));
  expect(definitionOf(row({ id: "tpl_1" }))).toBe(first);
  const changed = definitionOf(row({ id: "tpl_1", text: "Bye {{1}} {{2}}", atMs: 1 }));
  expect(changed.body?.slots).toHaveLength(2);
  // A server whose read is older than the change that it knows.
  expect(definitionOf(row({ id: "tpl_1" })).body?.text).toBe("Hello {{1}}");
});

test("is its workspace's alone", () => {
  definitionOf(row({ id: "tpl_2" }));
  expect(definitionOf(row({ id: "tpl_2", workspaceId: "ws_2", text: "Other" })).body?.text).toBe("Other");
});

test("the one that was asked for longest ago gives way", () => {
  const [used, unused] = ["tpl_used", "tpl_unused"].map((id) => definitionOf(row({ id })));
  for (let n = 0; n < 999; n++) {
    definitionOf(row({ id: `tpl_more_${n}` }));
    definitionOf(row({ id: "tpl_used" }));
  }
  expect(definitionOf(row({ id: "tpl_used" }))).toBe(used);
  expect(definitionOf(row({ id: "tpl_unused" }))).not.toBe(unused);
});
