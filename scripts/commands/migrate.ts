import { migrateDatabase } from "@/db/migrate";
import { UsageError } from "../../clients/typescript/src/cli/command-line";
import { sentenceOf } from "../failure";
import { run } from "../operator-command";

const USAGE = `Usage: switchboard migrate

Brings the schema of the database at DATABASE_URL up to date, beside servers of the release before. Running it again, or
twice at once, is harmless.
`;

export function migrate(args: string[]): Promise<void> {
  return run({ usage: USAGE, args }, async () => {
    const url = process.env.DATABASE_URL;
    if (!url || !/^postgres(ql)?:\/\//.test(url)) {
      const fault = url ? "is not a postgres:// address" : "is required";
      throw new UsageError(`DATABASE_URL ${fault}. It looks like postgres://user:password@host:5432/name.`);
    }
    await migrateDatabase(url).catch((error) => {
      throw new Error(`The schema is not up to date. ${sentenceOf(error)}`);
    });
    process.stderr.write("The database's schema is up to date.\n");
    return true;
  });
}
