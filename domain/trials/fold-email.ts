/** How a mail provider reads addresses. */
interface MailProvider {
  /** Other domains of the same mailboxes. */
  aliases: readonly string[]
  /** Characters of the local part that the provider ignores. */
  ignored?: RegExp
  /** Characters of the local part that the provider reads as `-`. */
  hyphens?: RegExp
  /** Whether `any@name.domain` reaches `name@domain`. */
  hasSubdomains?: boolean
  /** The character that begins a tag; `+` for most providers. */
  tag?: string
}

/** Large providers that differ from the rule for all others, which is that `+` begins a tag. */
const providers: Readonly<Record<string, MailProvider>> = {
  'gmail.com': { aliases: ['googlemail.com'], ignored: /\./g },
  'proton.me': { aliases: ['protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/g },
  'icloud.com': { aliases: ['me.com', 'mac.com'] },
  'yandex.ru': {
    aliases: [
      ...['ya.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'yandex.uz', 'yandex.com.tr'],
      ...[
        'yandex.com.am',
        'yandex.com.ge',
        'yandex.az',
        'yandex.co.il',
        'yandex.kg',
        'yandex.tj',
        'yandex.tm',
      ],
      ...['yandex.md', 'yandex.lv', 'yandex.lt', 'yandex.ee', 'yandex.fr', 'yandex.pl', 'narod.ru'],
    ],
    hyphens: /\./g,
  },
  'yahoo.com': { aliases: ['ymail.com', 'rocketmail.com'], tag: '-' },
  'fastmail.com': { aliases: ['fastmail.fm'], hasSubdomains: true },
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
  const [local, name] = mailboxOf(email.slice(0, at), email.slice(at + 1))
  const { ignored, hyphens, tag = '+' } = providers[name] ?? {}
  const untagged = local.split(tag)[0] || local
  const folded = ignored ? untagged.replaceAll(ignored, '') || untagged : untagged
  return `${hyphens ? folded.replaceAll(hyphens, '-') : folded}@${name}`
}

/** Returns the local part and the provider's main domain. */
function mailboxOf(local: string, domain: string): [string, string] {
  const known = canonical.get(domain)
  if (known !== undefined) return [local, known]
  const [subdomain = '', ...parent] = domain.split('.')
  const provider = canonical.get(parent.join('.'))
  const hasMailbox = provider !== undefined && providers[provider]?.hasSubdomains === true
  return hasMailbox ? [subdomain, provider] : [local, domain]
}
