import { describe, expect, test } from "vitest";
import { reaching } from "../../support/awaiting";
import { printed, runCommand } from "../../support/commands";
import { TRIGGER } from "../../support/programs";
import { provisionWorkspace, type TestWorkspace } from "../../support/workspace";

const trigger = ({ workspaceId }: TestWorkspace, ...words: string[]) =>
  runCommand(TRIGGER, [...words, "--workspace", workspaceId]);

/** To a test number of which the sandbox tells nothing after SENT. */
async function sendAndForget(workspace: TestWorkspace) {
  const { body } = await workspace.send({ type: "text", phone: "447700900001", content: "Hi" });
  await reaching(workspace, body.data.id, "SENT");
  return body.data.id;
}

describe("ended well", () => {
  test("a test message gets the given status, by the door of WhatsApp's webhooks", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const id = await sendAndForget(workspace);
    const reported = printed<object>(await trigger(workspace, "delivered", "--message", id));
    expect(reported).toEqual({
      status: "delivered",
      webhook: `${workspace.baseUrl}/api/webhooks/whatsapp`,
      answer: 200,
    });
    expect((await reaching(workspace, id, "DELIVERED")).deliveredAt).not.toBeNull();
    printed(await trigger(workspace, "read", "--message", id));
    await reaching(workspace, id, "READ");
  });

  test("a failure has the code that was said", async () => {
    const workspace = await provisionWorkspace({ mode: "test" });
    const id = await sendAndForget(workspace);
    printed(await trigger(workspace, "failed", "--code", "131026", "--message", id));
    expect((await reaching(workspace, id, "FAILED")).failureReason).toContain("131026");
  });
});

describe("failed", () => {
  test("of a live message and of another workspace's it reveals nothing", async () => {
    const [workspace, other] = [await provisionWorkspace(), await provisionWorkspace({ mode: "test" })];
    const { id, status } = (await workspace.send({ type: "text", phone: "447700900001", content: "Hi" })).body.data;
    const live = await trigger(workspace, "read", "--message", id);
    expect(live).toMatchObject({ exitCode: 1, stdout: "" });
    expect(live.stderr).toContain("only WhatsApp can report");
    const foreign = await trigger(other, "read", "--message", id);
    expect(foreign).toMatchObject({ exitCode: 1, stdout: "" });
    expect(foreign.stderr).toContain("There is no message");
    expect((await workspace.status(id)).body.data.status).toBe(status);
  });

  test.each([[["seen"]], [["failed", "--code", "x"]]])("%j is not understood", async (words) => {
    const refused = await runCommand(TRIGGER, [...words, "--workspace", "w", "--message", "m"]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("Usage: switchboard trigger");
  });
});
