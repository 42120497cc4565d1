-- Lists and counts of keys read the keys that are not revoked. Nothing lists revoked keys.
create index api_keys_not_revoked on api_keys (account_id, created_at desc, id desc) where revoked_at is null;
drop index api_keys_newest;
