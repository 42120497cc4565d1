-- Decides whether the alert of a limit is due: at 80 and at 100 percent, each once per period. If both are reached at once,
-- only 100 percent is due. The arguments are the limit, what counts against it, and the last notification
-- (`notified_percent` in the period that began at `notified_period`). `cause` is the reason for the check:
--
--   spent    something was charged
--   limit    the limit was set or changed: alerts whose threshold is no longer reached can fire again
--   refused  a request exceeded the rest of the limit: from 80 percent on, this counts as 100 percent, because the last
--            part of a limit can seldom be spent exactly
--
-- Returns the due percentage (`percent`, null if none is due), what is spent in this period, the notification to store,
-- and the total spent amount from which the limit must be checked again. If the period ends before, that check is too
-- early, but never too late. A limit of null or zero has no alert.
create function due_alert(
  cause text, limit_nanos bigint, reset_interval text, counted_at timestamptz, day_spent bigint, week_spent bigint,
  month_spent bigint, total_spent bigint, notified_percent smallint, notified_period timestamptz,
  out percent smallint, out spent bigint, out notified smallint, out period timestamptz, out check_from bigint
) language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
  warning_nanos bigint := limit_nanos - limit_nanos / 5; -- 80 percent of the limit
  reached smallint;
begin
  if limit_nanos is null or limit_nanos <= 0 then return; end if;
  period := window_start(reset_interval, 'epoch', at);
  spent := spent_in_window(reset_interval, counted_at, day_spent, week_spent, month_spent, total_spent, at);
  reached := case when spent >= limit_nanos then 100 when spent >= warning_nanos then 80 else 0 end;
  notified := case when notified_period = period then notified_percent else 0 end;
  if cause = 'limit' then notified := least(notified, reached); end if;
  if cause = 'refused' and reached = 80 then reached := 100; end if;
  if reached > notified then
    percent := reached;
    notified := reached;
  end if;
  check_from := case
    when notified < 80 then total_spent + warning_nanos - spent
    when notified < 100 then total_spent + least(limit_nanos - spent, warning_nanos)
    when reset_interval <> 'none' then total_spent + warning_nanos
  end;
end $$;
