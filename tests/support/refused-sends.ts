import { beforeAll, test } from "vitest";
import { expectInvalid, expectNothingBound } from "./sends";
import { provisionWorkspace, type TestWorkspace, type WorkspaceOptions } from "./workspace";

export type RefusedSend = [title: string, body: unknown, faults: Record<string, string | RegExp>];

/** One workspace for all tests of a file or a `describe` that leave nothing behind. */
export function sharedWorkspace(options: WorkspaceOptions = {}): () => TestWorkspace {
  let workspace: TestWorkspace | undefined;
  beforeAll(async () => {
    workspace = await provisionWorkspace(options);
  });
  return () => {
    if (!workspace) throw new Error("The workspace is made before the first test.");
    return workspace;
  };
}

/** A test for each send that is refused with exactly these faults. They share a workspace, and each proves that nothing is left. */
export function refusesSends(sends: readonly RefusedSend[], options?: WorkspaceOptions): void {
  const workspace = sharedWorkspace(options);
  test.for([...sends])("%s", async ([, body, faults]) => {
    expectInvalid(await workspace().send(body), faults);
    await expectNothingBound(workspace());
  });
}
