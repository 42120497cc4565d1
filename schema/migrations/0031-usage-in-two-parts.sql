-- What an account used in all stands by itself: usage by day, key or model then reads a few pages of `usage_totals`
-- instead of one page of `usage_by_end_user` for each day, key and model.
lock table usage_counters;

alter table usage_counters rename to usage_by_end_user;
alter table usage_by_end_user rename constraint usage_counters_pkey to usage_by_end_user_pkey;
drop index usage_counters_totals;

create table usage_counters (
  like usage_by_end_user,
  primary key (account_id, day, api_key_id, model, end_user_place)
) partition by list (end_user_place);
create table usage_totals partition of usage_counters for values in (0) with (fillfactor = 50);

with moved as (delete from usage_by_end_user where end_user_place = 0 returning *)
insert into usage_totals select * from moved order by account_id, day;
alter table usage_counters attach partition usage_by_end_user default;
