import { doctor } from "./cli/doctor";

await doctor(process.argv.slice(2));
