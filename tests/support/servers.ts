import { startEnvironment } from "./environment";

/** Vitest's global set-up: one world for all API tests. */
export default startEnvironment;
