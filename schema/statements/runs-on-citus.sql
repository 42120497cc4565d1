-- Returns whether the server has Citus. PL/pgSQL inlines it in an `if`, which takes 0.1 µs. A `perform` takes 8 µs.
create function runs_on_citus() returns boolean language sql stable as $$
  select current_setting('citus.version', true) is not null
$$;
