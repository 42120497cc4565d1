import { isUuid } from '../../platform/checks.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { ManagementContext } from '../context.ts'

/** The caller who did an action. */
export interface Actor {
  kind: 'session' | 'provisioning' | 'key' | 'operator'
  /** The ID of the user or key, or the name of the operator; null for an operator's command without a name. */
  id: string | null
}

/** The account ID of actions on the platform itself, such as changes of the catalogue. No account has it. */
export const platformId = '00000000-0000-0000-0000-000000000000'

/** An action on an account or on the platform. */
export interface Action {
  accountId: string
  /** The name of the mutation, such as `createApiKey`. */
  name: string
  actor: Actor
  /** The target of the action, if it is known beforehand. */
  target?: ActionTarget | undefined
  /** The names of the fields that are set. Their values are never stored. */
  fields?: readonly string[]
  /** An operator's reason, which the account can read. */
  reason?: string | undefined
  address?: string | undefined
  requestId?: string | undefined
}

export interface ActionTarget {
  type?: string | undefined
  id: string
}

/** The row of an action. */
export interface ActionMark {
  accountId: string
  id: string
}

type AuditContext = { sql: Sql | SqlTransaction } & Pick<ManagementContext, 'ids'>

/** Adds the entry of an action before the action begins. */
export async function beginAction({ sql, ids }: AuditContext, action: Action): Promise<ActionMark> {
  const { accountId, name, actor, target, fields = [], reason, address, requestId } = action
  const id = ids.tagged('act_')
  await sql`
    insert into audit_log (account_id, id, action, actor_kind, actor_id, target_type, target_id, fields, reason,
      address, request_id, actor_email)
    values (${accountId}, ${id}, ${name}, ${actor.kind}, ${actor.id}, ${target?.type ?? null},
      ${target?.id ?? null}, ${[...fields]}::text[], ${reason ?? null}, ${address ?? null}, ${requestId ?? null},
      (select email from users where id = ${userIdOf(actor)}::uuid))`
  return { accountId, id }
}

/** Returns the ID of a user of this installation; null for other actors. */
function userIdOf({ kind, id }: Actor): string | null {
  return kind === 'session' && id !== null && isUuid(id) ? id : null
}

/**
 * Marks an action as done, and adds its target and fields if they are known only now. Pass the action's transaction as
 * `sql` if it has one.
 */
export async function endAction(
  { sql }: { sql: Sql | SqlTransaction },
  { accountId, id }: ActionMark,
  target?: ActionTarget,
  fields?: readonly string[],
): Promise<void> {
  await sql`
    update audit_log set state = 'done', target_type = coalesce(${target?.type ?? null}, target_type),
      target_id = coalesce(${target?.id ?? null}, target_id),
      fields = coalesce(${fields ? [...fields] : null}::text[], fields)
    where account_id = ${accountId} and id = ${id}`
}

/** Deletes the entry of an action that was refused and changed nothing. */
export async function dropAction(
  { sql }: Pick<AuditContext, 'sql'>,
  { accountId, id }: ActionMark,
): Promise<void> {
  await sql`delete from audit_log where account_id = ${accountId} and id = ${id} and state = 'begun'`
}

/**
 * Returns a unit of work whose transactions mark the action as done, so that the change and the mark commit together or
 * not at all.
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
