import { describe, expect, test } from "vitest";
import { expectError, expectNothingBound, expectSent, PHONE, sentBodies, wire } from "../support/sends";
import { provisionWorkspace } from "../support/workspace";

const TEXT = { type: "text", phone: PHONE, content: "Hello" };
const HELLO = { type: "text", text: { preview_url: false, body: "Hello" } };
const TWO = [{ ref: "sales" }, { ref: "support" }];

describe("201", () => {
  test("the only active line sends, whatever else is paused or of the other mode", async () => {
    const workspace = await provisionWorkspace({
      lines: [{ ref: "main" }, { ref: "paused", isActive: false }, { ref: "trial", mode: "test" }],
    });
    const answer = await workspace.send(TEXT);
    expectSent(answer);
    expect(await sentBodies(workspace.whatsappPhoneNumberId)).toEqual([wire(answer, HELLO)]);
  });

  test("the line asked for sends, and no other", async () => {
    const workspace = await provisionWorkspace({ lines: TWO });
    const answer = await workspace.send({ ...TEXT, phoneNumberId: workspace.lines.support?.id });
    expectSent(answer);
    expect(await sentBodies(workspace.lines.support?.whatsappPhoneNumberId ?? "")).toEqual([wire(answer, HELLO)]);
    expect(await sentBodies(workspace.lines.sales?.whatsappPhoneNumberId ?? "")).toEqual([]);
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
        phoneNumbers: expect.toSatisfy((listed: { id: string; label: string }[]) => {
          const expected = ["sales", "support"].map((ref) => `${workspace.lines[ref]?.id} Line ${ref}`);
          return (
            listed
              .map(({ id, label }) => `${id} ${label}`)
              .sort()
              .join() === expected.sort().join()
          );
        }),
      },
    });
    await expectNothingBound(workspace);
  });

  test("a line that does not exist, another workspace's and one of the other mode answer alike", async () => {
    const other = await provisionWorkspace();
    const workspace = await provisionWorkspace({ lines: [{ ref: "main" }, { ref: "trial", mode: "test" }] });
    for (const phoneNumberId of ["pn_unknown", other.phoneNumberId, workspace.lines.trial?.id ?? ""]) {
      expectError(await workspace.send({ ...TEXT, phoneNumberId }), {
        status: 400,
        error: "PHONE_NUMBER_NOT_FOUND",
        message: `\`phoneNumberId\` "${phoneNumberId}" is not a line of this workspace and key mode. Use our id, for example "${workspace.phoneNumberId}".`,
        details: { field: "phoneNumberId", retryable: false },
      });
    }
    await expectNothingBound(workspace);
    await expectNothingBound(other);
  });

  test("the platform's own id of a line is told apart", async () => {
    const workspace = await provisionWorkspace();
    const phoneNumberId = workspace.whatsappPhoneNumberId;
    expectError(await workspace.send({ ...TEXT, phoneNumberId }), {
      status: 400,
      error: "PHONE_NUMBER_NOT_FOUND",
      message: expect.stringContaining("platform's numeric id, which does not work here"),
      details: { field: "phoneNumberId", retryable: false },
    });
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
    expectError(await workspace.send(TEXT), {
      status: 400,
      error: "NO_PHONE_NUMBER",
      details: { retryable: false },
    });
    await expectNothingBound(workspace);
  });

  test("a fault of the body is told before a fault of the line, and the line before contact and template", async () => {
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
