import { roles as everyRole, type Role } from '../../schema/entities/accounts.ts'
import type { KeyScope } from '../../schema/entities/keys.ts'
import type { Caller } from './caller.ts'
import type { Operator } from './operators.ts'

/**
 * A right of callers. An operation lists the scopes that permit it, and a caller needs one of them.
 *
 * - `public`: every caller, also without a token.
 * - `account`: every session and API key.
 * - `session`: every session, whatever its role: the user's own data, and data that API keys do not read by default.
 * - `key`: ordinary API keys. Where an operation concerns requests and tasks, they see only their own.
 * - `read`: the data of the account, without secrets.
 * - `keys`: read and manage API keys; sessions also read their full texts.
 * - `byok`: read and manage the account's own credentials for vendors.
 * - `billing`: read the balance, transactions and top-ups, start top-ups, and manage the saved card, billing
 *   details, budgets and alerts.
 * - `tasks`: read and manage tasks, callbacks and their secrets.
 * - `members`: read and manage members and invitations.
 * - `ownership`: owners, and the account itself.
 * - `view`: an operator who reads an account as its members see it. With `read`, it reads what every member can read, and
 *   invitations. It changes nothing and reads no secrets.
 * - `operator`: operators of the platform.
 */
export type Scope =
  | 'public'
  | 'account'
  | 'session'
  | 'key'
  | 'read'
  | 'keys'
  | 'byok'
  | 'billing'
  | 'tasks'
  | 'members'
  | 'ownership'
  | 'view'
  | 'operator'

/** The scopes of each role (docs/teams.md). */
const roles: Record<Role, readonly Scope[]> = {
  owner: ['read', 'keys', 'byok', 'billing', 'tasks', 'members', 'ownership'],
  admin: ['read', 'keys', 'byok', 'billing', 'tasks', 'members'],
  developer: ['read', 'keys', 'byok', 'tasks'],
  billing: ['read', 'billing'],
  viewer: ['read'],
}

/** Returns the roles that have a scope. */
export function rolesWith(scope: Scope): Role[] {
  return everyRole.filter(role => roles[role].includes(scope))
}

/**
 * The scopes that each scope of a provisioning key grants. `all` is what provisioning keys could do before they had
 * scopes. It excludes the rights to create further access, `keys` and `members`, which a key must be given by name.
 */
const keyScopes: Record<KeyScope, readonly Scope[]> = {
  all: ['read', 'byok', 'billing', 'tasks'],
  read: ['read'],
  keys: ['keys'],
  byok: ['byok'],
  billing: ['billing'],
  tasks: ['tasks'],
  members: ['members'],
}

/** The caller: a user or key of an account, or an operator. */
export interface Callers {
  caller?: Caller | undefined
  operator?: Operator | undefined
}

/** Returns the scopes of a caller. */
export function scopesOf({ caller, operator }: Callers): readonly Scope[] {
  if (operator) return ['public', 'operator']
  if (!caller) return ['public']
  if (caller.kind === 'session') return ['public', 'account', 'session', ...roles[caller.role]]
  // Not `public`: a view cannot do what callers without a token do, such as log in.
  if (caller.kind === 'view') return ['account', 'read', 'view']
  if (caller.kind === 'provisioning') return ['public', 'account', ...grantsOf(caller.scopes)]
  return ['public', 'account', 'key']
}

function grantsOf(scopes: readonly KeyScope[]): readonly Scope[] {
  return scopes.flatMap(scope => keyScopes[scope])
}

/**
 * The scopes of ordinary keys and of provisioning keys with `all`. Other API keys are refused as if an operation without
 * one of them needed a session (docs/behaviour.md, Management API).
 */
export const usualKeyScopes: ReadonlySet<Scope> = new Set(['public', 'account', 'key', ...keyScopes.all])

/** The rights of a key that is managed: whether it is a provisioning key, and its scopes. */
export interface ManagedKey {
  isProvisioning: boolean
  scopes: readonly KeyScope[]
}

/**
 * Returns whether a caller may create, change and read the full text of a key. A key must not have a scope that the
 * caller lacks, and no key manages provisioning keys: a key could otherwise give itself scopes or outlive its expiry.
 */
export function mayManageKey(callers: Callers, { isProvisioning, scopes }: ManagedKey): boolean {
  if (isProvisioning && callers.caller?.kind !== 'session') return false
  const own = scopesOf(callers)
  return ['keys' as const, ...grantsOf(scopes)].every(scope => own.includes(scope))
}

/**
 * Returns whether a caller with these scopes may add, change and remove members with a role. The caller needs every scope
 * of the role: a key could otherwise invite an admin, who has rights that the key lacks.
 */
export function mayManageRole(scopes: readonly Scope[], role: Role): boolean {
  return ['members' as const, ...roles[role]].every(scope => scopes.includes(scope))
}
