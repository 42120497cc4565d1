-- Lists of tasks by kind and status. Without it a list with few matches reads every task of its account.
create index tasks_listed on tasks (account_id, kind, status, id);
