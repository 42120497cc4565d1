-- A process numbers its flushes: one that arrives late, after it was sent again or followed by others, changes nothing.
alter table processes add column flush bigint not null default 0;

-- Where a whole growth cannot be had, less than `minimum` helps nobody. The process is told to the statement once.
alter type hold_ask drop attribute process_id, add attribute minimum bigint;
