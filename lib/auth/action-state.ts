/** The result of an action: its value, or what the user can fix, by field where there is one. */
export type ActionState<Value = unknown> =
  | { ok: true; value: Value }
  | { ok: false; message: string; issues: Record<string, string> };

/** A server action as a form calls it. */
export type FormAction<Value> = (before: ActionState<Value> | null, form: FormData) => Promise<ActionState<Value>>;
