-- Why an operator changed a balance by hand (`npm run account:credit`), for whoever looks through the books later.
-- Charges and payments say what they are by their source; theirs is null.
alter table transactions add column reason text;
