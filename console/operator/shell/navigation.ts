import type { IconName } from '../../ui/icon.tsx'
import type { messages } from './messages.ts'

/** The pages in the order of the navigation. */
export const navigation = [
  { to: '/operator/accounts', text: 'accounts', icon: 'people' },
  { to: '/operator/catalogue', text: 'catalogue', icon: 'models' },
  { to: '/operator/vendors', text: 'vendors', icon: 'plug' },
  { to: '/operator/books', text: 'books', icon: 'billing' },
  { to: '/operator/audit-log', text: 'auditLog', icon: 'history' },
] as const satisfies readonly { to: string; text: keyof typeof messages.en; icon: IconName }[]
