import { type Config, settings } from '../../platform/config/read-config.ts'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'

/** The development defaults. They are public, and parts of them are ordinary words. */
const published = new Set([
  ...settings.subgraphSecrets.parse(settings.subgraphSecrets.default),
  settings.keyPepper.default,
  ...settings.masterKeys.parse(settings.masterKeys.default).values(),
])

/** Returns every secret of the settings, so that none of them is printed. */
export function secretsOf(config: Config): Secrets {
  const { vendors, issuers } = config
  const values = [
    ...[config.databaseUrl, config.databaseDirectUrl, ...config.redisUrl.split(','), config.smtpUrl].map(
      passwordOf,
    ),
    ...[...config.subgraphSecrets, config.keyPepper, config.keyPepperSecond, ...config.masterKeys.values()],
    ...[config.mediaBucketSecret, config.stripeSecretKey, config.stripeWebhookSecret],
    ...[...vendors.values()].flatMap(({ credentials }) =>
      credentials.flatMap(({ apiKey, config: cloud = {} }) => [apiKey, ...secretsIn(cloud)]),
    ),
    ...[...issuers.values()].map(({ clientSecret }) => clientSecret),
  ]
  return new Secrets(values.filter(value => value !== '' && value !== 'none' && !published.has(value)))
}

function passwordOf(url: string): string {
  return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ''
}

/** Returns the secrets of a credential's settings for a cloud (`CloudConfig`). */
function secretsIn(cloud: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(cloud).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) return secretsIn({ ...value })
    return typeof value === 'string' && /secret|token|private_key$/.test(name) && !/uri/.test(name)
      ? [value]
      : []
  })
}
