-- E-mail addresses that their owner has confirmed. Other addresses get no e-mail but a confirmation.
alter table users add column email_confirmed_at timestamptz;

-- Accounts that have had money have proven more than an address: their people keep their e-mails.
update users u set email_confirmed_at = now()
where exists (
  select from transactions t where t.account_id = u.account_id and t.credits_nanos > 0 and t.payment_method <> 'refund'
);

-- The links in e-mails. The token of a link is derived from its id and a secret of the settings, so no row reveals one.
create table mailed_links (
  id uuid primary key,
  purpose text not null, -- confirm_email, reset_password
  email text not null, -- in its normalised form; the row exists whether or not a user has this address
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index mailed_links_email on mailed_links (email, purpose) where used_at is null;
create index mailed_links_expiry on mailed_links (expires_at);
