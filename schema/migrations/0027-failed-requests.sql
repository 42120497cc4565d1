-- Finds the failed requests of an account, which are few among many. The others pay nothing for it.
create index request_logs_failed on request_logs (account_id, created_at desc, id desc) where status >= 400;
