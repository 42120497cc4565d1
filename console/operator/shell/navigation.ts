import type { PageGroup } from '../../frame/frame.tsx'
import { useText } from '../../text/language.ts'
import type { IconName } from '../../ui/icon.tsx'
import { messages } from './messages.ts'

/** The pages in the order of the navigation. */
const navigation = [
  { to: '/operator/accounts', text: 'accounts', icon: 'people' },
  { to: '/operator/catalogue', text: 'catalogue', icon: 'models' },
  { to: '/operator/vendors', text: 'vendors', icon: 'plug' },
  { to: '/operator/books', text: 'books', icon: 'billing' },
  { to: '/operator/audit-log', text: 'auditLog', icon: 'history' },
] as const satisfies readonly { to: string; text: keyof typeof messages.en; icon: IconName }[]

/** Returns the pages of the navigation and of the command palette, with their names. */
export function useNavigation(): readonly PageGroup[] {
  const text = useText(messages)
  return [{ pages: navigation.map(({ to, text: name, icon }) => ({ to, name: text[name], icon })) }]
}
