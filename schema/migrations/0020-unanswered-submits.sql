-- A call that submits the task was begun, and what became of it is not known: who finds that nobody makes the call any
-- more knows that its vendor may have the task.
alter table tasks add column is_sending boolean not null default false;
