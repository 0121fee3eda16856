import { expect, test } from "vitest";
import { AppError, ERROR_STATUS, type ErrorCode } from "@/lib/core/app-error";

test.each(Object.entries(ERROR_STATUS) as [ErrorCode, number][])(
  "%s is an error where it is caught, and has a stack where the fault is ours alone",
  (code, status) => {
    const cause = new Error("why");
    const thrown = new AppError(code, "What, why and the fix.", { cause });
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({ name: "AppError", message: "What, why and the fix.", status, cause });
    expect(String(thrown)).toBe("AppError: What, why and the fix.");
    expect(thrown.stack?.includes("app-error.test.ts") ?? false).toBe(status >= 500);
  },
);
