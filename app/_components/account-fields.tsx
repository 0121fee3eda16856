import { Field } from "./field";
import { NewPasswordField } from "./new-password-field";

/** What a new account is made of. With `email` the address is given, and only shown. */
export function AccountFields({ email }: { email?: string | undefined }) {
  return (
    <>
      <Field label="Your name" name="name" autoComplete="name" required maxLength={200} />
      {email === undefined ? (
        <Field label="E-mail" name="email" type="email" autoComplete="username" required maxLength={254} />
      ) : (
        <Field
          label="E-mail"
          name="email"
          type="email"
          autoComplete="username"
          value={email}
          readOnly
          hint="The invitation is for this address."
        />
      )}
      <NewPasswordField label="Password" advice="A short sentence is good." />
    </>
  );
}
