import { trigger } from "./cli/trigger";

await trigger(process.argv.slice(2));
