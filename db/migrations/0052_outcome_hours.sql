-- What servers of 0.6 still use has left db/schema alone, so that no insert of this release names it; CHANGELOG lists it.
DROP TABLE "outcome_hours";
