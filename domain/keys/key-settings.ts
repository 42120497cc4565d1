import { NANOS_PER_DOLLAR } from '../../platform/money.ts'
import type { ApiKeyRow, KeyBudgetRow, KeyScope, ResetInterval } from '../../schema/entities/keys.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkAll } from '../check-all.ts'
import { checkIpAllowList } from './ip-allow-list.ts'
import { checkPatterns } from './model-rules.ts'

/**
 * The settings of a key. An omitted setting keeps its value; null removes a limit, an expiry or a list, and keeps
 * `disabled` and the scopes unchanged.
 */
export interface KeySettings {
  name?: string | null | undefined
  ipWhitelist?: readonly string[] | null | undefined
  /** Patterns of the models and vendors that the key may call. */
  allowedModels?: readonly string[] | null | undefined
  allowedVendors?: readonly string[] | null | undefined
  /** Requests per minute. */
  rateLimitRpm?: number | null | undefined
  /** Tokens per hour. */
  rateLimitTph?: number | null | undefined
  /** Tokens per day. */
  rateLimitTpd?: number | null | undefined
  /** The spend cap of one period. */
  creditLimitNanos?: bigint | null | undefined
  /** The interval after which the spent amount is reset. */
  creditResetInterval?: ResetInterval | null | undefined
  disabled?: boolean | null | undefined
  expiresAt?: Date | null | undefined
  /** The scopes of a provisioning key. Null keeps them unchanged. */
  scopes?: readonly KeyScope[] | null | undefined
}

type KeyColumns = Pick<
  ApiKeyRow,
  | 'name'
  | 'ipWhitelist'
  | 'allowedModels'
  | 'allowedVendors'
  | 'rateLimitRpm'
  | 'rateLimitTph'
  | 'rateLimitTpd'
  | 'disabled'
  | 'expiresAt'
  | 'scopes'
>
type BudgetColumns = Pick<KeyBudgetRow, 'limitNanos' | 'resetInterval'>

/** Returns the columns that store the given settings. Omitted settings have no column. */
export function columnsOf(settings: KeySettings): {
  key: Partial<KeyColumns>
  budget: Partial<BudgetColumns>
} {
  const { name, disabled, scopes, creditLimitNanos, creditResetInterval } = settings
  return {
    key: {
      ...(typeof name === 'string' && { name }),
      ...(typeof disabled === 'boolean' && { disabled }),
      ...(scopes && { scopes: [...new Set(scopes)] }),
      ...limitColumnsOf(settings),
    },
    budget: {
      ...(creditLimitNanos !== undefined && { limitNanos: creditLimitNanos }),
      ...(creditResetInterval !== undefined && { resetInterval: creditResetInterval ?? 'none' }),
    },
  }
}

function limitColumnsOf(settings: KeySettings): Partial<KeyColumns> {
  const { ipWhitelist, allowedModels, allowedVendors, expiresAt } = settings
  const { rateLimitRpm, rateLimitTph, rateLimitTpd } = settings
  return {
    ...(ipWhitelist !== undefined && { ipWhitelist: [...(ipWhitelist ?? [])] }),
    ...(allowedModels !== undefined && { allowedModels: [...(allowedModels ?? [])] }),
    ...(allowedVendors !== undefined && { allowedVendors: [...(allowedVendors ?? [])] }),
    ...(rateLimitRpm !== undefined && { rateLimitRpm }),
    ...(rateLimitTph !== undefined && { rateLimitTph }),
    ...(rateLimitTpd !== undefined && { rateLimitTpd }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/** Maximum length of a key's name, in characters. */
export const maxNameLength = 200
/** Maximum spend cap of a key. */
export const maxLimitNanos = 1_000_000_000n * NANOS_PER_DOLLAR

/** Returns the error of an account that has as many keys as its allowance permits. */
export function tooManyKeys(maxKeys: number): Problem {
  const message = `The account may have at most ${maxKeys} API keys. Revoke a key that you no longer use.`
  return new Problem('validation_failed', { message })
}

/** Checks settings before they are stored. Throws `validation_failed`, which names every invalid parameter. */
export function checkKeySettings(
  settings: KeySettings,
  { isProvisioning }: { isProvisioning: boolean },
): void {
  const { name, ipWhitelist, allowedModels, allowedVendors, creditLimitNanos } = settings
  checkAll(
    () => name !== undefined && checkName(name ?? ''),
    () => ipWhitelist && checkIpAllowList(ipWhitelist),
    () => allowedModels && checkPatterns('allowedModels', allowedModels),
    () => allowedVendors && checkPatterns('allowedVendors', allowedVendors),
    () => settings.scopes && checkScopes(settings.scopes, isProvisioning),
    () => checkRate('rateLimitRpm', settings.rateLimitRpm),
    () => checkRate('rateLimitTph', settings.rateLimitTph),
    () => checkRate('rateLimitTpd', settings.rateLimitTpd),
    () => typeof creditLimitNanos === 'bigint' && checkCap(creditLimitNanos),
  )
}

function checkScopes(scopes: readonly KeyScope[], isProvisioning: boolean): void {
  if (!isProvisioning) refuseParam('scopes', 'must be left out: only provisioning keys have scopes')
  if (scopes.length === 0) refuseParam('scopes', 'must have at least one scope')
}

function checkRate(param: string, limit: number | null | undefined): void {
  if (typeof limit !== 'number') return
  if (limit < 0) refuseParam(param, 'must not be negative')
  if (!Number.isSafeInteger(limit)) refuseParam(param, 'must be a whole number')
}

function checkCap(limitNanos: bigint): void {
  if (limitNanos < 0n) refuseParam('creditLimit', 'must not be negative')
  if (limitNanos > maxLimitNanos) refuseParam('creditLimit', 'must be at most 1000000000 dollars')
}

function checkName(name: string): void {
  if (name.trim() === '') refuseParam('name', 'must not be empty')
  if (name.length > maxNameLength) refuseParam('name', `must have at most ${maxNameLength} characters`)
}
