import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql'
import { platformId } from '../../domain/audit/record-action.ts'
import {
  type Calls,
  type CredentialHealth as Health,
  type VendorHealth as HealthOfVendor,
  readVendorHealth,
} from '../../domain/vendors/vendor-health.ts'
import { type CallOutcome, callMinutes } from '../../schema/vendor-reports.ts'
import { requireOperator } from '../runtime/call.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Vendor } from '../runtime/shared-enums.ts'

const BreakerState = graphEnum<'closed' | 'open'>('BreakerState', {
  description: 'The state of a circuit breaker.',
  values: {
    closed: 'Calls are made.',
    open: 'Calls are not made after repeated failures. Trial calls close the breaker when the vendor answers again.',
  },
})

@ObjectType({ description: `Calls to a vendor in the last ${callMinutes} minutes, by outcome.` })
class VendorCalls {
  @Field(() => Count, { description: 'The number of calls that the vendor answered.' })
  answered!: number

  @Field(() => Count, { description: 'The number of calls whose credential the vendor refused.' })
  refusedCredentials!: number

  @Field(() => Count, { description: 'The number of calls whose request the vendor refused as invalid.' })
  refusedRequests!: number

  @Field(() => Count, {
    description:
      'The number of calls that failed because the vendor was overloaded or received too many requests, or the credential was at its own limits.',
  })
  busy!: number

  @Field(() => Count, {
    description: 'The number of calls that were not made because a circuit breaker was open.',
  })
  stopped!: number

  @Field(() => Count, {
    description: 'The number of calls that failed at the vendor, or whose answer could not be read.',
  })
  broken!: number

  @Field(() => Count, { description: 'The number of calls that the vendor did not answer in time.' })
  timeouts!: number

  @Field(() => Count, {
    description: 'The number of calls that were aborted because the client disconnected.',
  })
  aborted!: number
}

@ObjectType({
  description: 'A credential of the platform for a vendor, and its health. Secrets are never returned.',
})
class CredentialHealth {
  @Field(() => String, { description: "The credential's name, as in the file of credentials." })
  name!: string

  @Field(() => Int, {
    nullable: true,
    description:
      "The share of requests, relative to the vendor's other credentials. `null` if only other processes have the credential.",
  })
  weight!: number | null

  @Field(() => [String], {
    nullable: true,
    description: 'Patterns of the models that the credential may serve. `null` means all.',
  })
  models!: string[] | null

  @Field(() => Int, {
    nullable: true,
    description: 'The maximum number of requests per minute. `null` means no limit.',
  })
  requestsPerMinute!: number | null

  @Field(() => Int, {
    nullable: true,
    description: 'The maximum number of tokens per minute. `null` means no limit.',
  })
  tokensPerMinute!: number | null

  @Field(() => BreakerState, {
    nullable: true,
    description:
      'The state of the breaker that stops the calls of all accounts: open if it is open in any process. `null` if no process reported.',
  })
  breaker!: 'closed' | 'open' | null

  @Field(() => Int, { description: 'The number of processes in which that breaker is open.' })
  openProcesses!: number

  @Field(() => Int, {
    description: 'The number of accounts whose own breaker is open, summed over the processes.',
  })
  openAccounts!: number

  @Field(() => VendorCalls, { description: 'The calls with the credential.' })
  calls!: VendorCalls
}

@ObjectType({ description: 'The health of a vendor.' })
class VendorHealth {
  @Field(() => Vendor, { description: 'The vendor.' })
  vendor!: string

  @Field(() => String, { description: "The vendor's display name." })
  name!: string

  @Field(() => Int, { description: "The number of the vendor's active models." })
  activeModels!: number

  @Field(() => [CredentialHealth], {
    description:
      "The platform's credentials. Empty if only customers with own credentials can call the vendor.",
  })
  credentials!: CredentialHealth[]

  @Field(() => VendorCalls, { description: "The calls with customers' own credentials." })
  ownCalls!: VendorCalls
}

@ObjectType({ description: 'The health of vendors, as the processes that call them report it.' })
class VendorHealthReport {
  @Field(() => Int, {
    nullable: true,
    description:
      'The number of processes that reported within the last 20 seconds. `null` if Redis does not answer: then calls and breakers are unknown.',
  })
  processes!: number | null

  @Field(() => Int, { description: 'The number of minutes in which calls are counted.' })
  minutes!: number

  @Field(() => [VendorHealth], { description: 'The vendors, in the order of their labels.' })
  vendors!: VendorHealth[]
}

function presentCalls(calls: Calls): VendorCalls {
  const count = (outcome: CallOutcome) => calls.get(outcome) ?? 0
  return {
    answered: count('answered'),
    refusedCredentials: count('auth'),
    refusedRequests: count('request'),
    busy: count('busy'),
    stopped: count('circuit_open'),
    broken: count('broken'),
    timeouts: count('timeout'),
    aborted: count('aborted'),
  }
}

function presentCredential({ settings, calls, ...rest }: Health): CredentialHealth {
  const { weight = null, models = null, requestsPerMinute = null, tokensPerMinute = null } = settings ?? {}
  return { ...rest, calls: presentCalls(calls), weight, models, requestsPerMinute, tokensPerMinute }
}

function presentVendor({ credentials, ownCalls, ...rest }: HealthOfVendor): VendorHealth {
  return { ...rest, ownCalls: presentCalls(ownCalls), credentials: credentials.map(presentCredential) }
}

/** The query with which operators see failing vendors and open breakers (docs/vendors.md). */
@Resolver()
export class VendorHealthResolver {
  @Query(() => VendorHealthReport, {
    nullable: true,
    description:
      'Returns the health of vendors: credentials, calls of the last minutes, and circuit breakers. Requires an operator key.',
  })
  async vendorHealth(@Ctx() context: SubgraphContext): Promise<VendorHealthReport> {
    requireOperator(context)
    const { processes, vendors } = await context.queries.run(platformId, from =>
      readVendorHealth({ ...context, ...from }),
    )
    return { processes, minutes: callMinutes, vendors: vendors.map(presentVendor) }
  }
}
