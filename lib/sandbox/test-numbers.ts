import { GATEWAY_NUMBERS } from "./gateway-numbers";
import { TEST_RECIPIENTS } from "./recipients";

/** Recipients of test mode that decide what happens, reserved for fiction and not assigned. Every other is read, too. */
export const TEST_NUMBERS: readonly { phone: string; result: string }[] = [...TEST_RECIPIENTS, ...GATEWAY_NUMBERS].map(
  ({ phone, result }) => ({ phone, result }),
);
