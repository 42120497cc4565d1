import type { RequestRecord } from '../../domain/ledger/request-record.ts'

/** Says in the record that the client did not wait for its answer. */
export function recordLeaving(record: RequestRecord): void {
  record.status = 499
  record.errorCode = 'client_left'
}
