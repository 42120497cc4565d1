import { ArgsType, Field, ID } from 'type-graphql'
import type { RequestFilter, StatusRange } from '../../domain/logs/list-requests.ts'
import { isUuid } from '../../platform/is-uuid.ts'
import { Problem } from '../../schema/errors.ts'
import { checkList } from '../runtime/types/check-list.ts'
import { ConnectionArgs } from '../runtime/types/connection.ts'
import { DateTime } from '../runtime/types/date-time.ts'

/** Which requests are wanted. Several values of one argument mean any of them; arguments combine. */
@ArgsType()
export class RequestArgs extends ConnectionArgs {
  @Field(() => [ID], { nullable: true })
  apiKeyId?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Models as the requests named them.' })
  model?: string[] | null

  @Field(() => [String], { nullable: true, description: 'An HTTP status, `402`, or a class of them, `4xx`.' })
  status?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Arrived at this time or after it.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Arrived before this time.' })
  until?: Date | null
}

/** Reads the arguments as the verb takes them. Throws `validation_failed`, naming the argument. */
export function filterOf({ apiKeyId, model, status, since, until }: RequestArgs): RequestFilter {
  return {
    keyIds: checkList(apiKeyId, 'apiKeyId')?.map(readKeyId),
    models: checkList(model, 'model'),
    statuses: checkList(status, 'status')?.map(readStatus),
    since: since ?? undefined,
    until: until ?? undefined,
  }
}

function readKeyId(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new Problem('validation_failed', { param: 'apiKeyId', message: 'apiKeyId must be the id of a key.' })
}

function readStatus(text: string): StatusRange {
  const [, digit, rest] = /^([1-5])(xx|\d\d)$/.exec(text) ?? []
  if (digit === undefined || rest === undefined) {
    const message = 'status must be an HTTP status such as 402, or a class such as 4xx.'
    throw new Problem('validation_failed', { param: 'status', message })
  }
  const of = (lastDigits: string) => Number(digit + (rest === 'xx' ? lastDigits : rest))
  return { lowest: of('00'), highest: of('99') }
}
