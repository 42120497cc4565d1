-- Returns the route of a task's submit in the request log. routeOf in domain/tasks/task.ts returns the same for submits
-- that are refused.
create function task_route(kind text) returns text language sql immutable as $$
  select case kind
    when 'video' then 'videos.generations' when 'speech' then 'audio.speech' else 'audio.generations' end
$$;
