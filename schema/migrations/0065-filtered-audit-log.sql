-- The audit log by action, actor or target: a list reads about as many rows as it shows. Few rows are written.
create index audit_log_action on audit_log (account_id, action, id);
create index audit_log_actor on audit_log (account_id, actor_id, id);
create index audit_log_target on audit_log (account_id, target_id, id);
