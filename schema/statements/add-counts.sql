-- Adds two arrays of counts. The shorter one continues with zeros.
create function add_counts(a integer[], b integer[]) returns integer[] language sql immutable as $$
  select coalesce(array_agg(coalesce(x, 0) + coalesce(y, 0) order by place), '{}')
  from unnest(a, b) with ordinality as t (x, y, place)
$$;
