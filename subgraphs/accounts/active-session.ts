import {
  Arg,
  Args,
  Ctx,
  Directive,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import {
  type ActiveSession as ActiveSessionRecord,
  countSessions,
  endOtherSessions,
  endSession,
  findSessions,
  listSessions,
  sessionOrder,
} from '../../domain/accounts/list-sessions.ts'
import { isLimited } from '../../domain/callers/limited-sessions.ts'
import { type Call, requireSession } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { requireOwnSession } from './account.ts'

@ObjectType({ description: 'A session of a user that has not ended.' })
@Directive('@key(fields: "id")')
export class ActiveSession {
  @Field(() => ID, { description: "The session's ID." })
  id!: string

  @Field(() => DateTime, { description: 'When the user logged in.' })
  createdAt!: Date

  @Field(() => DateTime, { description: "When the session's tokens were last issued." })
  lastUsedAt!: Date

  @Field(() => DateTime, { description: 'When the session ends unless it is refreshed.' })
  expiresAt!: Date

  @Field(() => String, {
    nullable: true,
    description: "The IP address to which the session's tokens were last issued. `null` if it is unknown.",
  })
  address!: string | null

  @Field(() => Boolean, { description: 'Whether this is the session that sent the request.' })
  isCurrent!: boolean
}

function present(call: Call) {
  const { familyId } = requireSession(call)
  return (session: ActiveSessionRecord): ActiveSession => ({ ...session, isCurrent: session.id === familyId })
}

const sessionById = batched({
  findAll: async (context, ids) => {
    const { accountId, userId } = requireSession(context)
    return findSessions(context, { accountId, userId, ids })
  },
  idOf: ({ id }) => id,
})

/** Returns an active session of the caller, or `undefined`. */
export async function findSession(context: SubgraphContext, id: string): Promise<ActiveSession | undefined> {
  const session = await sessionById(context, id)
  return session && present(context)(session)
}

const ActiveSessionConnection = connection(ActiveSession)

@InputType({ description: 'The session to end.' })
class EndSessionInput {
  @Field(() => ID, { description: "The session's ID." })
  id!: string
}

@ObjectType({ description: 'The ended session.' })
class EndSessionPayload {
  @Field(() => ID, {
    description: "The session's ID. Requests with tokens of the session now fail with 401.",
  })
  endedSessionId!: string
}

@ObjectType({ description: "The result of ending the caller's other sessions." })
class EndOtherSessionsPayload {
  @Field(() => Int, {
    description: 'The number of sessions that were ended. Requests with their tokens now fail with 401.',
  })
  endedSessions!: number
}

@Resolver(() => ActiveSession)
export class ActiveSessionResolver {
  @Query(() => ActiveSessionConnection, {
    nullable: true,
    description: "Lists the caller's active sessions, newest log-in first.",
  })
  async activeSessions(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: SubgraphContext) {
    const { accountId, userId } = requireSession(context)
    const { queries, clock } = context
    const slice = sliceOf(args, sessionOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, ({ sql }) =>
        listSessions({ sql, clock }, { accountId, userId, slice }),
      ),
      positionOf: ({ createdAt, id }) => [String(createdAt.getTime() * 1000), id],
      present: present(context),
      countAll: () =>
        queries.run(accountId, ({ sql }) =>
          countSessions({ sql, clock }, { accountId, userId, max: maxPaged }),
        ),
    })
  }

  @Mutation(() => EndSessionPayload, { nullable: true, description: "Ends one of the caller's sessions." })
  async endSession(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => EndSessionInput, { description: 'The session to end.' }) { id }: EndSessionInput,
  ): Promise<EndSessionPayload> {
    const { accountId, userId } = requireSession(context)
    await endSession(context, { accountId, userId, id })
    return { endedSessionId: id }
  }

  @Mutation(() => EndOtherSessionsPayload, {
    nullable: true,
    description:
      "Ends the caller's other sessions in every account. A session that an issuer limits to its accounts ends those in its own account only.",
  })
  async endOtherSessions(@Ctx() context: SubgraphContext): Promise<EndOtherSessionsPayload> {
    const { userId, familyId } = requireOwnSession(context)
    const { accountId } = requireSession(context)
    const limits = (await isLimited(context, { familyId })) ? { accountId } : {}
    return { endedSessions: await endOtherSessions(context, { userId, familyId, ...limits }) }
  }
}
