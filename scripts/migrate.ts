import { migrateDatabase } from "@/db/migrate";
import { sentenceOf } from "./failure";

/** `npm run db:migrate`: applies db/migrations to DATABASE_URL. */
const url = process.env.DATABASE_URL;

if (!url || !/^postgres(ql)?:\/\//.test(url)) {
  const fault = url ? "is not a postgres:// address" : "is required";
  console.error(`DATABASE_URL ${fault}. It looks like postgres://user:password@host:5432/name.`);
  process.exit(2);
}

try {
  await migrateDatabase(url);
  console.error("The database's schema is up to date.");
} catch (error) {
  console.error(`The schema is not up to date. ${sentenceOf(error)}`);
  process.exit(1);
}
