-- Holds live sends back after a restore: their keys, and retries of rows that the backup has as unsent, may have been
-- sent after it. Qualified names, because a dump ends with an empty search_path. See db/restore-guard.ts.
create or replace function public.refuse_lost_send() returns trigger language plpgsql as $$
begin
  raise exception 'restored from a backup, and not confirmed' using errcode = 'P0R01';
end
$$;
create or replace trigger restore_guard before insert or update of attempt on public.messages
  for each row when (new.mode = 'live') execute function public.refuse_lost_send();
do $$
begin
  execute format('comment on trigger restore_guard on public.messages is %L', now());
end
$$;
