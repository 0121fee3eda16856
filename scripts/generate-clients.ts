import { writeGeneratedFiles } from "./clients/generated-files";

for (const file of writeGeneratedFiles()) process.stdout.write(`${file}\n`);
