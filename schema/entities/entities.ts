import {
  AccountEntity,
  MembershipEntity,
  RefreshTokenEntity,
  SigningKeyEntity,
  UserEntity,
} from './accounts.ts'
import { ProviderCredentialEntity } from './byok.ts'
import { ApiKeyEntity, KeyBudgetEntity } from './keys.ts'

/** All tables that MikroORM maps. */
export const entities = [
  AccountEntity,
  ApiKeyEntity,
  KeyBudgetEntity,
  MembershipEntity,
  ProviderCredentialEntity,
  RefreshTokenEntity,
  SigningKeyEntity,
  UserEntity,
]
