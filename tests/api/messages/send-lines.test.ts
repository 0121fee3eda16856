import { describe, expect } from "vitest";
import { actingAs, doneBy } from "../../support/line-actions";
import { expectError, expectNothingBound, expectSent, PHONE, sentBodies, TEXT, wire } from "../../support/sends";
import { test } from "../../support/test";
import { provisionWorkspace } from "../../support/workspace";

const HELLO = { type: "text", text: { preview_url: false, body: "Hello" } };
const TWO = [{ ref: "sales" }, { ref: "support" }];

const notFound = (message: unknown) => ({
  status: 400,
  error: "PHONE_NUMBER_NOT_FOUND",
  message,
  details: { field: "phoneNumberId", retryable: false },
});

describe("201", () => {
  test("the only active line sends, whatever else is paused or of the other mode", async () => {
    const workspace = await provisionWorkspace({
      lines: [{ ref: "main" }, { ref: "paused", isActive: false }, { ref: "trial", mode: "test" }],
    });
    const answer = await workspace.send(TEXT);
    expectSent(answer);
    expect(await sentBodies(workspace)).toEqual([wire(answer, HELLO)]);
  });

  test("the line asked for sends, and no other", async () => {
    const workspace = await provisionWorkspace({ lines: TWO });
    const answer = await workspace.send({ ...TEXT, phoneNumberId: workspace.lines.support?.id });
    expectSent(answer);
    expect(await sentBodies(workspace.lines.support ?? workspace)).toEqual([wire(answer, HELLO)]);
    expect(await sentBodies(workspace.lines.sales ?? workspace)).toEqual([]);
  });
});

describe("400", () => {
  test.for([
    ["none of them default", TWO],
    ["one of them default", [{ ref: "sales", isDefault: true }, { ref: "support" }]],
  ] as const)("several active lines, %s, need phoneNumberId and are listed", async ([, lines]) => {
    const workspace = await provisionWorkspace({ lines: [...lines] });
    const answer = await workspace.send(TEXT);
    expectError(answer, {
      status: 400,
      error: "PHONE_NUMBER_REQUIRED",
      message: expect.stringContaining("2 active lines"),
      details: {
        field: "phoneNumberId",
        retryable: false,
        phoneNumbers: expect.toSatisfy(({ length }) => length === 2),
      },
    });
    const listed = ["sales", "support"].map((ref) => ({ id: workspace.lines[ref]?.id, label: `Line ${ref}` }));
    expect(answer.body.details.phoneNumbers).toEqual(
      expect.arrayContaining(listed.map((line) => expect.objectContaining(line))),
    );
    await expectNothingBound(workspace);
  });

  test("a line that does not exist and another workspace's answer alike, whatever its mode", async () => {
    const other = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "trial", mode: "test" }] });
    const workspace = await provisionWorkspace();
    for (const phoneNumberId of ["pn_unknown", other.phoneNumberId, other.lines.trial?.id ?? ""]) {
      const message = `\`phoneNumberId\` "${phoneNumberId}" is not a line of this workspace and key mode. Use our id, for example "${workspace.phoneNumberId}".`;
      expectError(await workspace.send({ ...TEXT, phoneNumberId }), notFound(message));
    }
    await expectNothingBound(workspace);
    await expectNothingBound(other);
  });

  test.for([
    ["live", "test", "pk_test_"],
    ["test", "live", "pk_live_"],
  ] as const)(
    "a %s key that names the workspace's own %s line gets the kind of key that it needs",
    async ([mode, other, prefix]) => {
      const workspace = await provisionWorkspace({ mode, lines: [{ ref: "main" }, { ref: "trial", mode: other }] });
      const phoneNumberId = workspace.lines.trial?.id;
      const refusal = notFound(
        `\`phoneNumberId\` "${phoneNumberId}" is a ${other} line, and this is a ${mode} key. Use a key that begins with ${prefix}, or send from a ${mode} line, for example "${workspace.phoneNumberId}".`,
      );
      expectError(await workspace.send({ ...TEXT, phoneNumberId }), refusal);
      expectError(await workspace.call("GET", `/api/v1/public/templates?phoneNumberId=${phoneNumberId}`), refusal);
      await expectNothingBound(workspace);
    },
  );

  test("a line of the workspace that was disconnected is named as such", async () => {
    const workspace = await provisionWorkspace({ lines: TWO });
    const gone = workspace.lines.support?.id ?? "";
    const act = await actingAs(workspace, workspace.owner);
    doneBy(await act("removeLine", { phoneNumberId: gone }));
    const answer = await workspace.send({ ...TEXT, phoneNumberId: gone });
    const message = `\`phoneNumberId\` "${gone}" is a line that was disconnected from this workspace. Use another line, for example "${workspace.phoneNumberId}".`;
    expectError(answer, notFound(message));
  });

  test("WhatsApp's own id of a line is recognized", async ({ workspace }) => {
    const message = expect.stringContaining("WhatsApp's numeric id, which does not work here");
    const phoneNumberId = workspace.whatsappPhoneNumberId;
    expectError(await workspace.send({ ...TEXT, phoneNumberId }), notFound(message));
    await expectNothingBound(workspace);
  });

  test("a paused line asked for is named, even where another is active", async () => {
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "paused", isActive: false }] });
    expectError(await workspace.send({ ...TEXT, phoneNumberId: workspace.lines.paused?.id }), {
      status: 400,
      error: "PHONE_NUMBER_INACTIVE",
      message: expect.stringContaining(`Line "Line paused" (${workspace.lines.paused?.id}) is paused`),
      details: { field: "phoneNumberId", retryable: false },
    });
    await expectNothingBound(workspace);
  });

  test.for([
    ["no line at all", []],
    ["paused lines only", [{ ref: "main", isActive: false }]],
    ["lines of the other mode only", [{ ref: "trial", mode: "test" }]],
  ] as const)("%s is NO_PHONE_NUMBER", async ([, lines]) => {
    const workspace = await provisionWorkspace({ lines: [...lines] });
    expectError(await workspace.send(TEXT), { status: 400, error: "NO_PHONE_NUMBER", details: { retryable: false } });
    await expectNothingBound(workspace);
  });

  test("a fault of the body is reported before a fault of the line, and the line before contact and template", async () => {
    const workspace = await provisionWorkspace({ lines: TWO });
    expect((await workspace.send({ ...TEXT, content: "" })).body.error).toBe("VALIDATION_ERROR");
    const unknown = { type: "template", contactId: "ct_unknown", templateName: "none", templateVariables: {} };
    expect((await workspace.send(unknown)).body.error).toBe("PHONE_NUMBER_REQUIRED");
    const onLine = { ...unknown, phoneNumberId: workspace.lines.sales?.id };
    expect((await workspace.send(onLine)).body.details.field).toBe("contactId");
    expect((await workspace.send({ ...onLine, contactId: null, phone: PHONE })).body.details.field).toBe(
      "templateName",
    );
    await expectNothingBound(workspace);
  });
});
