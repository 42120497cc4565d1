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
  description:
    "Filters audit entries. An entry must match every given field, and any one of a field's values.",
})
export class AuditFilterInput {
  @Field(() => [String], {
    nullable: true,
    description: 'Entries with one of these actions, which are names of mutations.',
  })
  actions?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Entries by one of these users or API keys.' })
  actorIds?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Entries by operators with one of these names.' })
  operators?: string[] | null

  @Field(() => [ID], { nullable: true, description: 'Entries about one of these objects.' })
  targetIds?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Entries that began at or after this time.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Entries that began before this time.' })
  until?: Date | null
}

@ArgsType()
class AuditArgs extends ConnectionArgs {
  @Field(() => AuditFilterInput, {
    nullable: true,
    description: 'The filter. Without it, all entries are listed.',
  })
  filter?: AuditFilterInput | null
}

function filterOf(filter: AuditFilterInput | null | undefined): ActionFilter {
  const { actions, actorIds, operators, targetIds, since, until } = filter ?? {}
  return {
    names: checkList(actions, 'filter.actions'),
    actorIds: checkList(actorIds, 'filter.actorIds'),
    operators: checkList(operators, 'filter.operators'),
    targetIds: checkList(targetIds, 'filter.targetIds'),
    since: since ?? undefined,
    until: until ?? undefined,
  }
}

/** Returns the ID of the account whose log the caller reads. Operators read the log of the platform. */
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

/** Returns the entry with this ID, or `undefined` if the caller cannot read it. */
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
      'Lists the management actions on the account, newest first. Operators get the actions on the platform instead.',
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
        queries.run(accountId, from => countActions(from, { accountId, filter, max: maxPaged })),
    })
  }
}
