import { PASSWORD_MIN_LENGTH } from "@/lib/auth/password-length";
import { Field } from "./field";

/** The field of a password that is about to be set. `advice` follows the least length in the hint. */
export function NewPasswordField({ label, advice }: { label: string; advice: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={PASSWORD_MIN_LENGTH}
      hint={`At least ${PASSWORD_MIN_LENGTH} characters. ${advice}`}
    />
  );
}
