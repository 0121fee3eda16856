#!/bin/bash
# ops/restore.sh FILE: restores a dump of `pg_dump --format=custom` into the empty database of DATABASE_URL, with the
# restore guard on, in one transaction: no server ever finds a part of it, or all of it without the guard.
set -euo pipefail
{
  echo 'begin;'
  pg_restore --no-owner --no-privileges --file=- "$1"
  cat "$(dirname "$0")/../db/restore-guard.sql"
  # Not reached by a dump that is cut off: then nothing is stored.
  echo 'commit;'
} | psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --output=/dev/null "$DATABASE_URL"
