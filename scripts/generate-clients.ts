import { writeFileSync } from "node:fs";
import { generatedClientFiles } from "./clients/generated-files";

for (const [file, source] of Object.entries(generatedClientFiles())) {
  writeFileSync(file, source);
  process.stdout.write(`${file}\n`);
}
