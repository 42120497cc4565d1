-- What is no charge is found at once among millions of charges; charges themselves pay nothing for it.
create index transactions_not_usage on transactions (account_id, id) where payment_method <> 'usage';
