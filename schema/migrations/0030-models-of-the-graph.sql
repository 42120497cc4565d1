-- Models are changed by operators through the graph too, beside the files: who declared each last, at which revision of
-- the catalogue it last changed, and whether it has left the catalogue, which so far followed from its entry.
alter table models
  add column origin text not null default 'files', -- files, graph
  add column revision bigint not null default 1,
  add column is_removed boolean not null default false; -- its row stays, for the requests in the log
update models set is_removed = not is_active and (data ->> 'active')::boolean,
  revision = greatest(1, (select revision from catalogue_state));
create index models_revision on models (revision);

-- What chat models are completed from (schema/catalog/parameters/chat.yaml), as applied last.
alter table catalogue_state add column chat_parameters jsonb;
