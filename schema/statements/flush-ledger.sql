-- Runs one flush of a process in one transaction: settlements, new amounts of its holds, then growth. Returns `state`
-- and, if it is `committed`, the other columns:
--
--   state     `stale` if a later flush of the process was committed, `unknown` if the process was declared dead and its
--             holds have lapsed. In both cases, nothing was changed.
--   outcomes  the outcome of each request, `settled` or `lapsed`; or a single `settled` for all requests.
--   grants    the result of each requested growth, see grow_holds. Null if a charge finds its hold lapsed: nothing
--             grows then, because the requested amounts depended on that hold. The process requests again.
--   busy      accounts of `contested` that other transactions have locked: none of their rows was changed.
--
-- A flush is also a heartbeat. `first_flush` is the number under which the same batch was first sent. Accounts are
-- locked first, in ID order, so that two flushes never deadlock. The flush does not wait for the locks of `contested`
-- accounts. It waits at most 100 ms for each other lock and then fails, and the process sends it again with all accounts
-- contested.
--
-- In a plain batch, collect_charges and log_charges can process the charges, and holds grow by amounts that their limits
-- cover. `changes` has the changes of the holds, `used` the usage that they do not collect, `day` is the day on which all
-- requests arrived, and `targets` is empty. For other batches, `changes` and `used` are empty.
--
-- Postgres keeps a plan that it made while tables were small. Such a plan would read a whole table in each flush. So
-- sequential scans are off, here and in the functions that this one calls, and these find rows of tables in a subquery
-- with `offset 0`, which runs once for each row of the batch and can only use the primary key.
create function flush_ledger(
  process uuid, flush_number bigint, first_flush bigint, charges charge[], targets hold_target[], asks hold_ask[],
  contested uuid[], is_plain boolean default false, day date default null, used usage_sum[] default '{}',
  changes hold_change[] default '{}'
) returns json language plpgsql set enable_seqscan = off set lock_timeout = '100ms' as $$
declare
  was_sent boolean := false;
  busy uuid[];
  outcomes json;
  ask hold_ask;
  granted json;
  grants json;
  budgeted hold_ask[];
  lapsed boolean;
begin
  if first_flush < flush_number then
    select p.flush >= first_flush into was_sent from processes p where p.id = process for no key update;
  end if;
  update processes p set flush = flush_number, heartbeat_at = clock_timestamp()
  where p.id = process and p.flush < flush_number;
  if not found then
    return json_build_object('state',
      case when exists (select from processes p where p.id = process) then 'stale' else 'unknown' end);
  end if;

  if is_plain then
    if cardinality(used) + cardinality(asks) > 0 then
      perform 1 from balances b
      where b.account_id = any (array(
        select u.account_id from unnest(used) u union all select a.account_id from unnest(asks) a))
      order by b.account_id for no key update;
    end if;
    if cardinality(changes) > 0 then perform collect_charges(changes, used, day); end if;
    if cardinality(charges) > 0 then perform log_charges(charges, day); end if;
    foreach ask in array asks loop
      granted := case
        when ask.budget_ids is null then grow_hold(process, ask) else grow_within_budgets(process, ask, true)
      end;
      if granted is null then
        raise check_violation using message = 'a limit does not cover the growth';
      end if;
      grants := case when grants is null then granted else (grants::jsonb || granted::jsonb)::json end;
    end loop;
    return json_build_object('state', 'committed', 'outcomes', 'settled', 'grants', grants);
  end if;

  perform 1 from balances b
  where b.account_id = any (array(
    select c.account_id from unnest(charges) c union select t.account_id from unnest(targets) t
    union select a.account_id from unnest(asks) a))
    and b.account_id <> all (contested)
  order by b.account_id for no key update;

  if cardinality(contested) > 0 then
    busy := busy_accounts(contested, charges, targets, asks);
    charges := array(select c from unnest(charges) c where c.account_id <> all (busy));
    targets := array(select t from unnest(targets) t where t.account_id <> all (busy));
    asks := array(select a from unnest(asks) a where a.account_id <> all (busy));
  end if;

  if cardinality(charges) + cardinality(targets) > 0 then
    select json_object_agg(s.request_id, s.outcome), bool_or(s.outcome = 'lapsed') into outcomes, lapsed
    from settle_requests(charges, targets, was_sent) s;
  end if;
  if cardinality(asks) > 0 and lapsed is not true then
    perform post_accounts(array(select distinct a.account_id from unnest(asks) a));
    budgeted := array(select a from unnest(asks) a where a.budget_ids is not null);
    if cardinality(budgeted) > 0 then
      select json_object_agg(g.key, g.value) into grants from (
        select * from json_each(grow_holds(process, array(select a from unnest(asks) a where a.budget_ids is null)))
        union all
        select e.* from unnest(budgeted) a cross join json_each(grow_within_budgets(process, a)) e
      ) g;
    else
      grants := grow_holds(process, asks);
    end if;
  end if;
  return json_build_object('state', 'committed', 'outcomes', outcomes, 'grants', grants, 'busy', busy);
end $$;
