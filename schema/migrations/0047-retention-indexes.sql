-- What retention and repairs search for, so that none of them reads a whole table.
create index usage_totals_day on usage_totals (day);
create index usage_by_end_user_day on usage_by_end_user (day);
create index usage_end_users_day on usage_end_users (day);
create index refresh_tokens_expires on refresh_tokens (expires_at);
create index callback_secrets_ends on callback_secrets (ends_at) where ends_at is not null;
create index deliveries_pending on deliveries (due_at) where state = 'pending';
create index deliveries_sending on deliveries (sender) where is_sending;
