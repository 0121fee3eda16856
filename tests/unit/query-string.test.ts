import { expect, test } from "vitest";
import { withQuery } from "@/lib/core/query-string";

test.for([
  ["/lines", "/lines?workspace=ws_1"],
  ["/lines?show=all", "/lines?show=all&workspace=ws_1"],
  ["/lines#limits", "/lines?workspace=ws_1#limits"],
  ["/lines?show=all#limits", "/lines?show=all&workspace=ws_1#limits"],
])("what is added to %s is part of its query", ([path, expected]) => {
  expect(withQuery(path ?? "", { workspace: "ws_1", mode: undefined })).toBe(expected);
  expect(withQuery(path ?? "", { mode: undefined })).toBe(path);
});
