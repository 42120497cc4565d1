import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { ManagementContext } from '../context.ts'

/** Who did something. */
export interface Actor {
  kind: 'session' | 'provisioning' | 'key' | 'operator'
  /** Of the person or the key; the name of an operator. */
  id: string | null
}

/** What operators do to the platform itself, such as its catalogue, stands under this id: it is no account. */
export const platformId = '00000000-0000-0000-0000-000000000000'

/** Something that is done to an account, or to the platform. */
export interface Action {
  accountId: string
  /** The mutation, such as `createApiKey`. */
  name: string
  actor: Actor
  /** The target of the action, if it is known beforehand. */
  target?: Target | undefined
  /** The names of what is set. Values are never written. */
  fields?: readonly string[]
  address?: string | undefined
  requestId?: string | undefined
}

export interface Target {
  type?: string | undefined
  id: string
}

/** The row of an action. */
export interface ActionMark {
  accountId: string
  id: string
}

type AuditContext = Pick<ManagementContext, 'sql' | 'ids'>

/** Writes an action down before it begins. */
export async function beginAction({ sql, ids }: AuditContext, action: Action): Promise<ActionMark> {
  const { accountId, name, actor, target, fields = [], address, requestId } = action
  const id = ids.tagged('act_')
  await sql`
    insert into audit_log (account_id, id, action, actor_kind, actor_id, target_type, target_id, fields, address,
      request_id)
    values (${accountId}, ${id}, ${name}, ${actor.kind}, ${actor.id}, ${target?.type ?? null},
      ${target?.id ?? null}, ${[...fields]}::text[], ${address ?? null}, ${requestId ?? null})`
  return { accountId, id }
}

/**
 * Writes down that an action was done, to what, and what was set, where that is known more exactly than before; in a
 * transaction where `sql` is one.
 */
export async function endAction(
  { sql }: { sql: Sql | SqlTransaction },
  { accountId, id }: ActionMark,
  target?: Target,
  fields?: readonly string[],
): Promise<void> {
  await sql`
    update audit_log set state = 'done', target_type = coalesce(${target?.type ?? null}, target_type),
      target_id = coalesce(${target?.id ?? null}, target_id),
      fields = coalesce(${fields ? [...fields] : null}::text[], fields)
    where account_id = ${accountId} and id = ${id}`
}

/** Takes an action back that was refused: nothing was done. */
export async function dropAction(
  { sql }: Pick<AuditContext, 'sql'>,
  { accountId, id }: ActionMark,
): Promise<void> {
  await sql`delete from audit_log where account_id = ${accountId} and id = ${id} and state = 'begun'`
}

/**
 * A unit of work each of whose transactions writes down that the action was done: they commit together, or neither
 * does.
 */
export function markingActions(
  em: ManagementContext['em'],
  { accountId, id }: ActionMark,
): ManagementContext['em'] {
  const marking = em.fork({ freshEventManager: true })
  marking.getEventManager().registerSubscriber({
    async beforeTransactionCommit(args) {
      const within = args.em as typeof em
      await within.execute(`update audit_log set state = 'done' where account_id = ? and id = ?`, [
        accountId,
        id,
      ])
    },
  })
  return marking
}
