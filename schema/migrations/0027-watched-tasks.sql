-- What changed last in an account: who watches all its tasks asks every second (domain/tasks/watch-account.ts).
create index tasks_changed on tasks (account_id, updated_at);
