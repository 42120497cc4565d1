import { Args, ArgsType, Ctx, Field, ID, InputType, Query, Resolver } from 'type-graphql'
import {
  type ActionFilter,
  actionOrder,
  countActions,
  findActions,
  listActions,
} from '../../domain/audit/list-actions.ts'
import { platformId } from '../../domain/audit/record-action.ts'
import { type Call, requireManager } from '../runtime/call.ts'
import {
  ConnectionArgs,
  checkList,
  connection,
  maxPaged,
  sliceOf,
  toConnection,
} from '../runtime/connections.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { AuditEntry, presentAction } from './audit-entry.ts'

@InputType({
  description: 'Which entries are wanted. Several values of one field mean any of them; fields combine.',
})
export class AuditFilterInput {
  @Field(() => [String], { nullable: true, description: 'Did one of these: names of mutations.' })
  actions?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Were done by one of these persons or keys.' })
  actorIds?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Were done to one of these.' })
  targetIds?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Began at this time or after it.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Began before this time.' })
  until?: Date | null
}

@ArgsType()
class AuditArgs extends ConnectionArgs {
  @Field(() => AuditFilterInput, { nullable: true, description: 'Which entries; all unless given.' })
  filter?: AuditFilterInput | null
}

function filterOf(filter: AuditFilterInput | null | undefined): ActionFilter {
  const { actions, actorIds, targetIds, since, until } = filter ?? {}
  return {
    names: checkList(actions, 'filter.actions'),
    actorIds: checkList(actorIds, 'filter.actorIds'),
    targetIds: checkList(targetIds, 'filter.targetIds'),
    since: since ?? undefined,
    until: until ?? undefined,
  }
}

/** Whose log a caller reads: that of its account, an operator that of the platform. */
function logOf(call: Call): string {
  return call.operator ? platformId : requireManager(call).accountId
}

const actionById = batched({
  findAll: async (context, ids) =>
    context.operator || (context.caller && context.caller.kind !== 'key')
      ? findActions(context, { accountId: logOf(context), ids })
      : [],
  idOf: ({ id }) => id,
})

/** The entry with that id, where the caller may see it. */
export async function findAuditEntry(context: SubgraphContext, id: string): Promise<AuditEntry | undefined> {
  const record = await actionById(context, id)
  return record && presentAction(record)
}

const AuditEntryConnection = connection(AuditEntry)

@Resolver(() => AuditEntry)
export class AuditResolver {
  @Query(() => AuditEntryConnection, {
    nullable: true,
    description:
      'What was done to the account through the management API and by operators, newest first; for an operator, what was done to the platform.',
  })
  async auditEntries(@Args(() => AuditArgs) args: AuditArgs, @Ctx() context: SubgraphContext) {
    const accountId = logOf(context)
    const { queries } = context
    const slice = sliceOf(args, actionOrder)
    const filter = filterOf(args.filter)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listActions(from, { accountId, filter, slice })),
      positionOf: ({ id }) => [id],
      present: presentAction,
      countAll: () =>
        queries.run(accountId, from => countActions(from, { accountId, filter, most: maxPaged })),
    })
  }
}
