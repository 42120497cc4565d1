-- Posts what the holds of these accounts have collected (collect_charges). The caller has locked the accounts. The holds
-- are locked in the order of their accounts and IDs, as in collect_charges. A transaction that has changed holds of other
-- accounts calls this at most once. Otherwise two of them could wait for each other.
create function post_accounts(accounts uuid[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  posted holds[] := array(
    select h from (select a from unnest(accounts) a order by a) o cross join lateral (
      select * from holds f where f.account_id = o.a and f.unposted_day is not null order by f.id for no key update
    ) h);
begin
  if cardinality(posted) = 0 then return; end if;
  update holds h set
    unposted_day = null, unposted_spent_nanos = 0, unposted_held_nanos = 0, unposted_model = null, unposted_requests = 0,
    unposted_failed_requests = 0, unposted_prompt_tokens = 0, unposted_cached_tokens = 0,
    unposted_cache_creation_tokens = 0, unposted_completion_tokens = 0, unposted_reasoning_tokens = 0,
    unposted_cost_nanos = 0
  from unnest(posted) p cross join lateral (
    select f.ctid from holds f where f.account_id = p.account_id and f.id = p.id offset 0
  ) found
  where h.ctid = found.ctid;
  perform post_sums(posted);
end $$;
