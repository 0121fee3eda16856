import { test as base } from "vitest";
import { provisionWorkspace, type WorkspaceOptions } from "./workspace";

/** A test that gets what it names: `workspace`, its own, made with these options, and `other`, one of strangers. */
export function testIn(options: WorkspaceOptions = {}) {
  return base.extend("workspace", () => provisionWorkspace(options)).extend("other", () => provisionWorkspace());
}

export const test = testIn();
