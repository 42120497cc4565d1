-- The address that a session was used from last, and the time of its log-in. The unused token of a log-in is its session.
alter table refresh_tokens add column address text;
alter table refresh_tokens add column began_at timestamptz not null default date_trunc('milliseconds', now());
update refresh_tokens t set began_at = f.began_at
from (select family_id, min(created_at) as began_at from refresh_tokens group by family_id) f
where f.family_id = t.family_id;
create index refresh_tokens_sessions on refresh_tokens (user_id, began_at) where used_at is null and revoked_at is null;
