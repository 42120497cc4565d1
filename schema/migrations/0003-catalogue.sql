-- The catalogue as applied: one row a model, its whole entry in `data`.

create table vendors (label text primary key, data jsonb not null);

create table models (
  id text primary key,
  model text not null unique,
  provider text not null,
  modality text not null,
  is_popular boolean not null,
  is_active boolean not null,
  data jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  search tsvector generated always as (
    to_tsvector('simple', coalesce(data ->> 'name', '') || ' ' || coalesce(data ->> 'description', ''))
  ) stored
);
create index models_search on models using gin (search);
create index models_provider on models (provider, modality);

create table catalogue_state (
  singleton boolean primary key default true check (singleton),
  revision bigint not null default 0,
  applied_at timestamptz
);
insert into catalogue_state default values;
