import type { Sql } from '../../platform/postgres/open-postgres.ts'

/** Which tables Citus distributes, and which are on the coordinator. */
export interface Placement {
  distributed: readonly string[]
  others: readonly string[]
}

/**
 * Finds in the catalogue of a migrated database what keeps tables from being distributed by `account_id`, and tables without
 * a placement. Returns one line each, in order.
 */
export async function findViolations(sql: Sql, { distributed, others }: Placement): Promise<string[]> {
  const rows = await sql<{ violation: string }[]>`
    select violation from (with found as materialized (
      select c.oid, c.relname as name, c.relname = any (${[...distributed]}::text[]) as is_distributed,
        c.relname = any (${[...others]}::text[]) as is_other
      from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (
          select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    ), placed as materialized (
      select oid, name from found where is_distributed
    )
    select name || ': is not placed' as violation from found where not is_distributed and not is_other
    union all
    select name || ': is placed twice' from found where is_distributed and is_other
    union all
    select name || ': does not exist' from unnest(${[...distributed, ...others]}::text[]) name
    where name not in (select f.name from found f)
    union all
    select p.name || case when a.attname is null then ': has no account_id' else ': account_id may be null' end
    from placed p left join pg_attribute a on a.attrelid = p.oid and a.attname = 'account_id'
    where a.attnotnull is not true
    union all
    select p.name || ': has no primary key' from placed p
    where not exists (select from pg_index i where i.indrelid = p.oid and i.indisprimary)
      and exists (select from pg_attribute a where a.attrelid = p.oid and a.attname = 'account_id')
    union all
    select p.name || ': the index ' || i.indexrelid::regclass || ' does not contain account_id'
    from placed p join pg_index i on i.indrelid = p.oid and i.indisunique
    join pg_attribute a on a.attrelid = p.oid and a.attname = 'account_id'
    where a.attnum <> all (i.indkey::smallint[])
    union all
    select p.name || ': has the trigger ' || t.tgname from placed p join pg_trigger t on t.tgrelid = p.oid
    where not t.tgisinternal
    union all
    select p.name || ': has the partition ' || c.relname || ', which is partitioned too'
    from placed p join pg_inherits i on i.inhparent = p.oid join pg_class c on c.oid = i.inhrelid and c.relkind = 'p'
    union all
    select t.relname || ': the foreign key ' || f.conname || ' refers to ' || r.relname
      || case when t.oid in (select oid from placed) then ', which is on the coordinator' else ', which is distributed' end
    from pg_constraint f join pg_class t on t.oid = f.conrelid join pg_class r on r.oid = f.confrelid
    where f.contype = 'f' and (t.oid in (select oid from placed)) <> (r.oid in (select oid from placed))
    union all
    select p.name || ': the function ' || f.proname || ' reads ctid'
    from placed p join pg_proc f on f.pronamespace = 'public'::regnamespace
      and f.prosrc ~ ('ctid\\s+from\\s+' || p.name || '\\M')) violations
    order by violation collate "C"`
  return rows.map(({ violation }) => violation)
}

/**
 * Finds in the catalogue of a migrated database the functions that write to these distributed tables without
 * `commit_in_two_phases`. Returns their names in order.
 */
export async function findOnePhaseWriters(sql: Sql, distributed: readonly string[]): Promise<string[]> {
  const writes = `(insert into|update|delete from|merge into)\\s+(only\\s+)?(public\\.)?(${distributed.join('|')})\\M`
  const rows = await sql<{ name: string }[]>`
    select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and prosrc ~* ${writes} and prosrc !~ 'perform commit_in_two_phases\\(\\);'
    order by proname collate "C"`
  return rows.map(({ name }) => name)
}
