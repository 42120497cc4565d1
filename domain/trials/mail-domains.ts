/** Mail domains at which anyone can open a mailbox. Their trial credits are not limited per domain. */
const publicDomains: ReadonlySet<string> = new Set([
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'icloud.com'],
  ...['me.com', 'mac.com', 'aol.com', 'ymail.com', 'rocketmail.com', 'proton.me', 'protonmail.com'],
  ...['protonmail.ch', 'pm.me', 'fastmail.com', 'fastmail.fm', 'hey.com', 'tuta.com', 'tutanota.com'],
  ...['zoho.com', 'zohomail.com', 'mail.com', 'gmx.com', 'gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'web.de'],
  ...[
    't-online.de',
    'freenet.de',
    'posteo.de',
    'mailbox.org',
    'orange.fr',
    'free.fr',
    'laposte.net',
    'sfr.fr',
  ],
  ...['libero.it', 'virgilio.it', 'wp.pl', 'o2.pl', 'onet.pl', 'interia.pl', 'seznam.cz', 'bluewin.ch'],
  ...['comcast.net', 'verizon.net', 'att.net', 'sbcglobal.net', 'cox.net', 'mail.ru', 'bk.ru', 'inbox.ru'],
  ...['list.ru', 'ya.ru', 'rambler.ru', 'ukr.net', 'qq.com', '163.com', '126.com', 'sina.com', 'foxmail.com'],
  ...['naver.com', 'daum.net', 'hanmail.net', 'rediffmail.com', 'uol.com.br', 'bol.com.br', 'terra.com.br'],
])

/** Providers with a domain per country: `yahoo.co.uk`, `hotmail.fr`. */
const publicNames: ReadonlySet<string> = new Set(['yahoo', 'hotmail', 'live', 'outlook', 'yandex'])

/** Whether anyone can open a mailbox at a domain. */
export function isPublicDomain(domain: string): boolean {
  return publicDomains.has(domain) || publicNames.has(domain.split('.')[0] ?? '')
}

/**
 * Returns the domain that the owner of an e-mail address has registered, by a rule that covers nearly all registries: the
 * last two labels, or three if both are short, as in `example.co.uk`.
 */
export function domainOf(email: string): string {
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join('.')
}
