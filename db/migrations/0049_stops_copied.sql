-- Until 0.7.0 a stop by a word to a test line was stored as every other: which those are is unknown, so all of them count in both modes.
UPDATE contacts SET test_marketing_opted_out_at = marketing_opted_out_at, test_marketing_opt_out_source = marketing_opt_out_source,
	test_marketing_preference_at = coalesce(marketing_preference_at, marketing_opted_out_at)
WHERE marketing_opted_out_at IS NOT NULL AND test_marketing_preference_at IS NULL;
