-- Returns the age up to which this database must have the log records of charges and tasks. It has them for two months, or
-- for seven days if they are carried to a log database (domain/logs/keep-partitions.ts). Records are kept by the time of
-- arrival, charges by the time of their settlement: the difference allows for requests that took days.
create function compared_log_time() returns interval language sql stable as $$
  select case
    when exists (select from log_database where place = 'elsewhere' and copied_at is not null) then interval '4 days'
    else interval '50 days'
  end
$$;
