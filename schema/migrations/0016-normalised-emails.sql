-- E-mails are kept as log-in compares them: in compatibility form (NFKC), without blanks around them, in lower case.
-- Where two users would have the same one, those that are spelled otherwise stay as they are, and are told of: they
-- log in with exactly their spelling, as before.

do $$
declare
  kept record;
begin
  update users u set email = n.email, updated_at = now()
  from (
    select id, lower(normalize(btrim(email), NFKC)) as email,
      row_number() over (
        partition by lower(normalize(btrim(email), NFKC))
        order by (email = lower(normalize(btrim(email), NFKC))) desc, created_at, id
      ) as place
    from users
  ) n
  where n.id = u.id and n.place = 1 and n.email <> u.email;

  for kept in select id from users where email <> lower(normalize(btrim(email), NFKC)) loop
    raise warning 'user % keeps an e-mail that is another''s once it is normalised', kept.id;
  end loop;
end $$;
