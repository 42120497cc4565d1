-- The catalogue as it was last applied: one row for each model, with its whole entry in `data`.

create table vendors (label text primary key, data jsonb not null);

create table models (
  id text primary key,
  model text not null unique,
  provider text not null,
  modality text not null,
  is_popular boolean not null,
  is_active boolean not null,
  is_removed boolean not null default false, -- the row of a removed model remains for the requests in the log
  origin text not null default 'files', -- files, graph: where the entry was last declared
  revision bigint not null default 1, -- the catalogue's revision at which the entry last changed
  data jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  search tsvector generated always as (
    to_tsvector('simple', coalesce(data ->> 'name', '') || ' ' || coalesce(data ->> 'description', ''))
  ) stored
);
create index models_search on models using gin (search);
create index models_provider on models (provider, modality);
create index models_revision on models (revision);

-- The history of entries, for operators: each revision of a model with the entry that it had from then on.
create table model_revisions (
  model_id text not null,
  revision bigint not null,
  origin text not null, -- files, graph
  operator text, -- the name of the operator who changed the entry through the graph
  is_removed boolean not null,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (model_id, revision)
);

create table catalogue_state (
  singleton boolean primary key default true check (singleton),
  revision bigint not null default 0,
  applied_at timestamptz,
  chat_parameters jsonb -- the defaults that complete chat models (schema/catalog/parameters/chat.yaml)
);
insert into catalogue_state default values;
