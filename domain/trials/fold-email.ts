/** How a mail provider reads addresses. */
interface MailProvider {
  /** Other domains of the same mailboxes. */
  aliases: readonly string[]
  /** Characters of the local part that the provider ignores. */
  ignored?: RegExp
  /** The character that begins a tag; `+` for most providers. */
  tag?: string
}

/** Large providers that differ from the rule for all others, which is that `+` begins a tag. */
const providers: Readonly<Record<string, MailProvider>> = {
  'gmail.com': { aliases: ['googlemail.com'], ignored: /\./g },
  'proton.me': { aliases: ['protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/g },
  'icloud.com': { aliases: ['me.com', 'mac.com'] },
  'yandex.ru': { aliases: ['yandex.com', 'ya.ru', 'yandex.by', 'yandex.kz'] },
  'yahoo.com': { aliases: ['ymail.com', 'rocketmail.com'], tag: '-' },
  'fastmail.com': { aliases: ['fastmail.fm'] },
}

const canonical = new Map(
  Object.entries(providers).flatMap(([domain, { aliases }]) =>
    [domain, ...aliases].map(name => [name, domain]),
  ),
)

/**
 * Returns the mailbox that an e-mail address in its stored form reaches: without a tag, without characters that the
 * provider ignores, and with the provider's main domain. Only for comparisons: nothing is sent to the result.
 */
export function foldEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const name = canonical.get(domain) ?? domain
  const { ignored, tag = '+' } = providers[name] ?? {}
  const local = email.slice(0, at)
  const untagged = local.split(tag)[0] || local
  const folded = ignored ? untagged.replaceAll(ignored, '') || untagged : untagged
  return `${folded}@${name}`
}
