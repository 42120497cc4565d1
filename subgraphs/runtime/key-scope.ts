import { type Caller, mayReadKey } from '../../domain/callers/caller.ts'
import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkList } from './connections.ts'

/** Parses `filter.apiKeyIds`. Throws `validation_failed` if an ID is not a UUID. */
export function keyIdsOf(apiKeyIds: string[] | null | undefined): string[] | undefined {
  const param = 'filter.apiKeyIds'
  return checkList(apiKeyIds, param)?.map(text => {
    if (isUuid(text)) return text.toLowerCase()
    return refuseParam(param, 'must be IDs of keys')
  })
}

/** Limits the filter of an ordinary key to its own objects. Throws `forbidden` if the filter names another key. */
export function limitToCaller<Filter extends { keyIds?: readonly string[] | undefined }>(
  caller: Caller | undefined,
  filter: Filter,
): Filter {
  if (caller?.kind !== 'key') return filter
  if (filter.keyIds?.every(keyId => mayReadKey(caller, keyId)) === false) throw new Problem('forbidden')
  return { ...filter, keyIds: [caller.keyId] }
}
