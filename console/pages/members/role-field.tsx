import { useState } from 'react'
import type { Faults } from '../../graph/faults.ts'
import { messages as shellMessages } from '../../shell/messages.ts'
import { useText } from '../../text/language.ts'
import { SelectField } from '../../ui/field.tsx'
import type { Role } from './documents.ts'
import { messages } from './messages.ts'

const roles = ['OWNER', 'ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'] as const satisfies readonly Role[]

/** The choice of a role, with what the role may do. */
export function RoleField({ defaultRole, faults }: { defaultRole: Role; faults: Faults | undefined }) {
  const text = useText(messages)
  const { roles: names } = useText(shellMessages)
  const [role, setRole] = useState(defaultRole)
  return (
    <SelectField
      label={text.role}
      hint={text.roleHints[role]}
      name="role"
      value={role}
      options={roles.map(one => [one, names[one]])}
      onChange={event => setRole(roleOf(event.target.value))}
      faults={faults}
    />
  )
}

/** Reads the role that a form has. */
export function roleOf(value: FormDataEntryValue | null): Role {
  return roles.find(role => role === value) ?? 'VIEWER'
}
