import { placeOfPrivateKey } from '../../domain/accounts/signing-keys.ts'
import { placeOfApiKey, placeOfConfigSecrets } from '../../domain/byok/seal-credential.ts'
import { placeOfFullKey } from '../../domain/keys/key-records.ts'

/** A column that holds sealed secrets. */
export interface SealedColumn {
  table: string
  column: string
  /** The columns of the primary key, and their types. */
  key: Readonly<Record<string, 'uuid' | 'text'>>
  /** Where the secret of a row is sealed to, by the row's primary key. */
  placeOf(...key: string[]): string
}

const ofAccount = { account_id: 'uuid', id: 'uuid' } as const

/** Every column that holds sealed secrets. A test compares them with the tables. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'signing_keys',
    column: 'private_jwk_sealed',
    key: { id: 'text' },
    placeOf: placeOfPrivateKey,
  },
  {
    table: 'api_keys',
    column: 'full_key_sealed',
    key: ofAccount,
    placeOf: placeOfFullKey,
  },
  {
    table: 'provider_credentials',
    column: 'api_key_sealed',
    key: ofAccount,
    placeOf: (accountId: string, id: string) => placeOfApiKey({ accountId, id }),
  },
  {
    table: 'provider_credentials',
    column: 'config_secrets_sealed',
    key: ofAccount,
    placeOf: (accountId: string, id: string) => placeOfConfigSecrets({ accountId, id }),
  },
]
