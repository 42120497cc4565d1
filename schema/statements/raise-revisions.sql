-- Raises the revision of every key of an account that is not revoked. Returns the keys with their new revisions. Keys are
-- locked in the order of their IDs, so that concurrent changes cannot deadlock.
create function raise_revisions(account uuid) returns table (key_id uuid, revision bigint) language sql as $$
  update api_keys k set revision = k.revision + 1
  where k.account_id = account and k.id in (
    select o.id from api_keys o
    where o.account_id = account and o.revoked_at is null order by o.id for no key update)
  returning k.id, k.revision
$$;
