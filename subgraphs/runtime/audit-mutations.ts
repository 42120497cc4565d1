import type { GraphQLFieldResolver } from 'graphql'
import { maxReasonLength } from '../../domain/audit/check-reason.ts'
import {
  type Action,
  type ActionTarget,
  beginAction,
  dropAction,
  endAction,
  markingActions,
  platformId,
  type Actor as RecordedActor,
} from '../../domain/audit/record-action.ts'
import { isRecord, isUuid } from '../../platform/checks.ts'
import { type Call, operatorOf } from './call.ts'
import { problemFrom } from './present-error.ts'
import type { SubgraphContext } from './services.ts'

type FieldResolver = GraphQLFieldResolver<unknown, SubgraphContext>

/** The description of the reason that an operator states for an action on an account. */
export const reasonDescription = `The reason, 1 to ${maxReasonLength} characters. The account's audit log shows it.`

/** Mutations that are not recorded, with the reason. */
export const unrecordedMutations: ReadonlyMap<string, string> = new Map([
  ['refreshSession', 'continues a session that is recorded: a console does it every few minutes'],
  ['requestPasswordReset', 'changes nothing, and any stranger can do it; the reset is recorded'],
  ['startPasskeyLogIn', 'changes nothing, and any stranger can do it; the log-in is recorded'],
  ['startConfirmation', 'changes nothing; the confirmation is recorded'],
])

/** Mutations that find the account which they change. Their payloads name the actor. */
export const actorFindingMutations: ReadonlySet<string> = new Set([
  'signUp',
  'logIn',
  'completeLogIn',
  'confirmEmail',
  'resetPassword',
  'switchAccount',
  'acceptInvitation',
  'completeSignIn',
  'reopenOwnAccount',
])

/** The user who acted and the account in whose log the action is recorded. */
export interface Actor {
  accountId: string
  userId: string
}

/** Returns the actor for the audit log, or null if the user is not a member of any account. */
export function actorOf(accountId: string | undefined, userId: string): Actor | null {
  return accountId === undefined ? null : { accountId, userId }
}

/**
 * Adds the audit log to a mutation (domain/audit/README.md). The entry is written before the mutation begins. It is
 * marked as done in the mutation's own transaction, if the mutation has one. Every mutation of every subgraph is
 * wrapped.
 */
export function auditMutation(name: string, resolve: FieldResolver): FieldResolver {
  if (unrecordedMutations.has(name)) return resolve
  return async (source, args, context, info) => {
    if (actorFindingMutations.has(name))
      return recordFoundActor(context, name, await resolve(source, args, context, info))
    const action = actionOf(name, args, context)
    if (!action) return resolve(source, args, context, info) // The mutation has no caller, so it will be refused.
    const mark = await beginAction(context, action)
    const marking = { ...context, action: mark, em: markingActions(context.em, mark) }
    const result = await Promise.resolve(resolve(source, args, marking, info)).catch(async error => {
      // A mutation that fails with a server error may have been completed.
      if (problemFrom(error).status < 500) await dropAction(context, mark)
      throw error
    })
    await endAction(context, mark, action.target?.id === undefined ? targetOf(result) : undefined)
    return result
  }
}

/** Input fields that identify the changed object and are not recorded as set. */
const identifyingFields: ReadonlySet<string> = new Set(['id', 'accountId', 'expectedRevision'])

/** Returns the action of a call, or `undefined` if its account is not known yet. */
function actionOf(name: string, args: Record<string, unknown>, call: Call): Action | undefined {
  const input = isRecord(args.input) ? args.input : {}
  const actor = recordedActorOf(call)
  const accountId = call.caller?.accountId ?? input.accountId ?? (call.operator && platformId)
  if (!actor || typeof accountId !== 'string' || !isUuid(accountId)) return undefined
  return {
    accountId,
    name,
    actor,
    target: typeof input.id === 'string' ? { id: input.id.slice(0, 100) } : undefined,
    fields: Object.keys(input).filter(field => !identifyingFields.has(field)),
    reason:
      // The mutation refuses a longer reason, and the entry is dropped.
      call.operator && typeof input.reason === 'string' ? input.reason.slice(0, maxReasonLength) : undefined,
    address: call.address,
    requestId: call.requestId,
  }
}

/** Returns the caller as the actor of an action; undefined if there is none. */
export function recordedActorOf(call: Call): RecordedActor | undefined {
  const operator = operatorOf(call)
  if (operator) return { kind: 'operator', id: operator.name }
  const { caller } = call
  if (!caller || caller.kind === 'view') return undefined
  return { kind: caller.kind, id: caller.kind === 'session' ? caller.userId : caller.keyId }
}

/** Returns the type and ID of the object in a payload. */
function targetOf(payload: unknown): ActionTarget | undefined {
  if (!isRecord(payload)) return undefined
  for (const [name, value] of Object.entries(payload)) {
    if (isRecord(value) && typeof value.id === 'string') return { type: pascalCase(name), id: value.id }
    if (typeof value === 'string' && name.endsWith('Id')) return { id: value }
  }
  return undefined
}

function pascalCase(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** Records an action whose account is known only after it is done. */
async function recordFoundActor(context: SubgraphContext, name: string, payload: unknown): Promise<unknown> {
  const found = isRecord(payload) ? payload.actor : undefined
  if (found === null) return payload // Such as the first step of a log-in: the second one is recorded.
  if (!isRecord(found) || typeof found.accountId !== 'string' || typeof found.userId !== 'string')
    throw new Error(`The payload of ${name} names no actor`)
  const { address, requestId } = context
  const actor = { kind: 'session', id: found.userId } as const
  const action = { accountId: found.accountId, name, actor, address, requestId }
  await endAction(context, await beginAction(context, action))
  return payload
}
