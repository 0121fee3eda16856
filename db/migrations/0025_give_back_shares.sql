-- Units in shares go back to their month. A server of the former release may deal out again: this one takes those back when
-- it finds no unit, and the table goes with a later migration.
SELECT FROM usage u WHERE EXISTS (SELECT FROM usage_shares s WHERE s.workspace_id = u.workspace_id AND s.month = u.month)
ORDER BY workspace_id, month FOR NO KEY UPDATE;
--> statement-breakpoint
WITH taken_back AS (DELETE FROM usage_shares RETURNING workspace_id, month, units_left)
UPDATE usage u SET used = used - shares.units
FROM (SELECT workspace_id, month, sum(units_left)::int AS units FROM taken_back GROUP BY workspace_id, month) shares
WHERE u.workspace_id = shares.workspace_id AND u.month = shares.month;
