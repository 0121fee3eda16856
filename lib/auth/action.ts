import { revalidatePath } from "next/cache";
import { headers } from "next/headers";
import { notFound, redirect, unstable_rethrow as rethrow } from "next/navigation";
import type { z } from "zod";
import { DatabaseUnavailable } from "@/db/client";
import { AppError } from "@/lib/core/app-error";
import { errorFields, log } from "@/lib/core/log";
import { newId } from "@/lib/core/new-id";
import type { WorkspaceId } from "@/lib/core/principal";
import { recordAction } from "@/lib/sessions/record-action";
import { type Author, byUser } from "@/lib/workspaces/record-audit";
import type { Action } from "@/lib/workspaces/roles";
import { FACTOR_PATH, isFactorRequired, type Member, memberOf, type SignedIn, signedInOf } from "./member";
import { isFromOwnPage } from "./own-origin";

/**
 * Every server action: it runs only where a page of this deployment sends it a form, its last argument. proxy.ts refuses
 * other calls before the framework reads the body; where it is not in front, they are 404 here.
 */
export function dashboardAction<Result, Given extends unknown[] = [form: FormData]>(
  work: (form: FormData) => Promise<Result>,
) {
  return async (...given: Given): Promise<Result> => {
    const form = given.at(-1);
    if (!(form instanceof FormData) || !isFromOwnPage(await headers())) notFound();
    try {
      return await work(form);
    } catch (error) {
      if (error instanceof AppError && error.code === "UNAUTHORIZED") redirect("/sign-in");
      if (isFactorRequired(error)) redirect(FACTOR_PATH);
      if (error instanceof AppError && error.code === "NOT_FOUND") notFound();
      throw error;
    }
  };
}

type Fields = Record<string, FormDataEntryValue | FormDataEntryValue[]>;

/**
 * An action with form state; the state that the browser sends back is ignored. `admit` authorizes the caller and returns
 * the work. Errors that the user can fix become the new state, by field.
 */
const stateAction = <Input, Value>(
  input: z.ZodType<Input>,
  admit: (requestId: string, fields: Fields) => Promise<(read: Input) => Promise<Value>>,
) =>
  dashboardAction<ActionState<Value>, [before: ActionState<Value> | null, form: FormData]>(async (form) => {
    const fields = fieldsOf(form);
    const requestId = newId("req");
    try {
      const work = await admit(requestId, fields);
      const unstorable = Object.keys(fields).filter((name) => [fields[name]].flat().some(hasNul));
      if (unstorable.length > 0) return faultsOf(unstorable.map((name) => ({ path: [name], message: NO_NUL })));
      const parsed = input.safeParse(fields);
      return parsed.success ? { ok: true, value: await work(parsed.data) } : faultsOf(parsed.error.issues);
    } catch (error) {
      rethrow(error);
      return refusalOf(error, requestId, Object.keys(fields));
    }
  });

const cookie = async () => (await headers()).get("cookie");

/** The acting member, and the author for the audit log. */
export type Acting = { member: Member; by: Author };

/** `refreshes` is a page that shows what the action changes: it and those below it are read again. */
type MemberActionOptions<Input> = { may: Action; input: z.ZodType<Input>; refreshes?: string };

/** An action of a member on the workspace that the form names, even if another tab has switched workspaces. */
export function memberAction<Input, Value>(
  { may, input, refreshes }: MemberActionOptions<Input>,
  work: (acting: Acting, input: Input) => Promise<Value>,
) {
  return stateAction<Input, Value>(input, async (requestId, { workspaceId = "" }) => {
    const member = await memberOf(await cookie(), String(workspaceId), may);
    await recordAction(member);
    return async (read) => {
      const value = await work({ member, by: byUser(member.userId, requestId) }, read);
      if (refreshes) revalidatePath(refreshes, "layout");
      return value;
    };
  });
}

/** The work of a member's action that is one use case whose result the page does not need. */
export function step<Input>(useCase: (workspaceId: WorkspaceId, input: Input, by: Author) => Promise<unknown>) {
  return async ({ member, by }: Acting, input: Input): Promise<void> => {
    await useCase(member.workspaceId, input, by);
  };
}

type UserActionOptions<Input> = { input: z.ZodType<Input>; isSetUp?: boolean };

/**
 * An action of a person with a session: on an account, or on the way into a workspace. `isSetUp`: it may come before the second
 * factor that a workspace of theirs requires.
 */
export function userAction<Input, Value>(
  { input, isSetUp = false }: UserActionOptions<Input>,
  work: (acting: { user: SignedIn; by: Author }, input: Input) => Promise<Value>,
) {
  return stateAction<Input, Value>(input, async (requestId) => {
    const user = await signedInOf(await cookie());
    if (!user) redirect("/sign-in");
    if (user.factorRequiredBy !== undefined && !isSetUp) redirect(FACTOR_PATH);
    await recordAction(user);
    return (read) => work({ user, by: byUser(user.userId, requestId) }, read);
  });
}

/** An action open to anyone. `work` must apply its own rate limit. */
export function visitorAction<Input, Value>(
  { input }: { input: z.ZodType<Input> },
  work: (input: Input, requestId: string) => Promise<Value>,
) {
  return stateAction<Input, Value>(input, async (requestId) => (read) => work(read, requestId));
}

/** A field that the form has several times is a list. */
function fieldsOf(form: FormData): Fields {
  const names = [...new Set(form.keys())].filter((name) => !name.startsWith("$"));
  return Object.fromEntries(
    names.map((name) => {
      const [first = "", ...more] = form.getAll(name);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
}

const NO_NUL = "This contains a NUL character. Remove it.";
const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");

const faultsOf = (issues: Pick<z.core.$ZodIssue, "path" | "message">[]): ActionState<never> => ({
  ok: false,
  message: fieldsInWords(issues.length),
  issues: Object.fromEntries(issues.map(({ path, message }) => [path.join("."), message])),
});

const fieldsInWords = (count: number): string =>
  count === 1 ? "One field needs a change." : `${count} fields need a change.`;

/** Shows an error at its field, or above the form if the form has no such visible field, such as a hidden id. */
function refusalOf(error: unknown, requestId: string, fields: readonly string[]): ActionState<never> {
  if (error instanceof AppError) {
    if (error.code === "UNAUTHORIZED" || isFactorRequired(error)) throw error;
    if (error.code === "NOT_FOUND" && !error.details.field) throw error;
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
      ? "The database did not respond, so the change may or may not have been saved. Reload the page to check before you try again."
      : `Something failed on our side. It is logged as ${requestId}.`,
    issues: {},
  };
}

/** The result of an action: its value, or the errors that the user can fix, by field if known. */
export type ActionState<Value = unknown> =
  | { ok: true; value: Value }
  | { ok: false; message: string; issues: Record<string, string> };

/** A server action as a form calls it. */
export type FormAction<Value> = (before: ActionState<Value> | null, form: FormData) => Promise<ActionState<Value>>;
