import { headers } from "next/headers";
import { notFound, redirect, unstable_rethrow as rethrow } from "next/navigation";
import type { z } from "zod";
import { DatabaseUnavailable } from "@/db/client";
import { AppError } from "@/lib/core/app-error";
import { env } from "@/lib/core/env";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import type { Author } from "@/lib/workspaces/author";
import { type Action, can, isSecretArea, whoCan } from "@/lib/workspaces/roles";
import type { ActionState } from "./action-state";
import { type Member, memberOf, type SignedIn, signedInOf } from "./member";
import { isFromOwnPage } from "./own-origin";

/**
 * The edge of every server action: it runs only where a page of this deployment sends it a form, its last argument.
 * proxy.ts refuses other calls before the framework reads the body; where it is not in front, they are 404 here.
 */
export function dashboardAction<Result, Given extends unknown[] = [form: FormData]>(
  work: (form: FormData) => Promise<Result>,
) {
  return async (...given: Given): Promise<Result> => {
    const form = given.at(-1);
    if (!(form instanceof FormData) || !isFromOwnPage(await headers(), env().APP_URL)) notFound();
    try {
      return await work(form);
    } catch (error) {
      if (error instanceof AppError && error.code === "UNAUTHORIZED") redirect("/sign-in");
      if (error instanceof AppError && error.code === "NOT_FOUND") notFound();
      throw error;
    }
  };
}

/** An action with a state: what its form shows of the last attempt, which the browser sends back and is not read. */
const stateAction = <Value>(work: (form: FormData) => Promise<ActionState<Value>>) =>
  dashboardAction<ActionState<Value>, [before: ActionState<Value> | null, form: FormData]>(work);

/** Whose action it is, and as whom the audit log names the change. */
export type Acting = { member: Member; by: Author };

/**
 * An action of a member on the workspace that the form names, whichever one is chosen elsewhere by now. `input` reads the
 * form's fields. What the user can fix is returned as a state with the faults by field; 404 where the role may not look.
 */
export function memberAction<Input, Value>(
  { may, input }: { may: Action; input: z.ZodType<Input> },
  work: (acting: Acting, input: Input) => Promise<Value>,
) {
  return stateAction<Value>(async (form) => {
    const { workspaceId = "", ...fields } = fieldsOf(form);
    const member = await memberOf((await headers()).get("cookie"), String(workspaceId));
    if (!can(member.role, may)) {
      if (isSecretArea(may)) notFound();
      return { ok: false, message: whoCan(may), issues: {} };
    }
    return answerForm(fields, input, (read, requestId) =>
      work({ member, by: { actor: { kind: "user", id: member.userId }, requestId } }, read),
    );
  });
}

/** Who acts for themselves, in no workspace: on an account, or on the way into a workspace. */
export type ActingUser = { user: SignedIn; by: Author };

/** An action of a person with a session. */
export function userAction<Input, Value>(
  { input }: { input: z.ZodType<Input> },
  work: (acting: ActingUser, input: Input) => Promise<Value>,
) {
  return stateAction<Value>(async (form) => {
    const user = await signedInOf((await headers()).get("cookie"));
    if (!user) throw new AppError("UNAUTHORIZED", "This needs a session: sign in at /sign-in first.");
    return answerForm(fieldsOf(form), input, (read, requestId) =>
      work({ user, by: { actor: { kind: "user", id: user.userId }, requestId } }, read),
    );
  });
}

/** An action of anybody. What it costs is for `work` to limit. */
export function visitorAction<Input, Value>(
  { input }: { input: z.ZodType<Input> },
  work: (input: Input, requestId: string) => Promise<Value>,
) {
  return stateAction<Value>((form) => answerForm(fieldsOf(form), input, work));
}

/** Reads a form and does what it asks for: what the user can fix is returned as a state. */
const answerForm = async <Input, Value>(
  fields: Record<string, unknown>,
  input: z.ZodType<Input>,
  work: (input: Input, requestId: string) => Promise<Value>,
): Promise<ActionState<Value>> => {
  const unstorable = Object.keys(fields).filter((name) => [fields[name]].flat().some(hasNul));
  if (unstorable.length > 0) return faultsOf(unstorable.map((name) => ({ path: [name], message: NO_NUL })));
  const parsed = input.safeParse(fields);
  if (!parsed.success) return faultsOf(parsed.error.issues);
  const requestId = newId("req");
  try {
    return { ok: true, value: await work(parsed.data, requestId) };
  } catch (error) {
    rethrow(error);
    return refusalOf(error, requestId, Object.keys(fields));
  }
};

/** A field that stands several times in the form is a list. */
const fieldsOf = (form: FormData): Record<string, FormDataEntryValue | FormDataEntryValue[]> => {
  const names = [...new Set(form.keys())].filter((name) => !name.startsWith("$"));
  return Object.fromEntries(
    names.map((name) => {
      const [first = "", ...more] = form.getAll(name);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
};

const NO_NUL = "This contains a NUL character. Remove it.";
const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");

const faultsOf = (issues: Pick<z.core.$ZodIssue, "path" | "message">[]): ActionState<never> => ({
  ok: false,
  message: fieldsInWords(issues.length),
  issues: Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message])),
});

const fieldsInWords = (count: number): string =>
  count === 1 ? "One field needs a change." : `${count} fields need a change.`;

/** A fault that a field of the form shows beside it is not said again above the form. A field for an id may be hidden. */
const refusalOf = (error: unknown, requestId: string, fields: readonly string[]): ActionState<never> => {
  if (error instanceof AppError) {
    if (error.code === "NOT_FOUND" && !error.details.field) notFound();
    if (error.code === "UNAUTHORIZED") redirect("/sign-in");
    const issues = error.details.issues ?? [];
    return {
      ok: false,
      message:
        issues.length > 0 && issues.every(({ path }) => fields.includes(path) && !path.endsWith("Id"))
          ? fieldsInWords(issues.length)
          : error.message,
      issues: Object.fromEntries(issues.map(({ path, message }) => [path, message])),
    };
  }
  const isAway = error instanceof DatabaseUnavailable;
  log(isAway ? "warn" : "error", "action.failed", { requestId, ...errorFields(error) });
  return {
    ok: false,
    message: isAway
      ? "The database did not answer. It may or may not have been done: reload the page to see, then try again."
      : `Something failed on our side. It is logged as ${requestId}.`,
    issues: {},
  };
};
