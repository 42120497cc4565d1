-- Lists of tasks by key or model, also of some kinds and statuses: a list reads as many rows as it shows.
create index tasks_of_key on tasks (account_id, api_key_id, kind, status, id);
create index tasks_of_model on tasks (account_id, model, kind, status, id);
