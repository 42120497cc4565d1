import { AccountEntity, type AccountRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../management-context.ts'

/** Reads an account. Throws `not_found` when it is gone. */
export async function readAccount(
  { em }: Pick<ManagementContext, 'em'>,
  { accountId }: { accountId: string },
): Promise<AccountRow> {
  const account = await em.findOne(AccountEntity, { id: accountId })
  if (account) return account
  throw new Problem('not_found')
}
