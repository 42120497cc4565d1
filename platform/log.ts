import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

const secrets = [
  'authorization',
  'password',
  'api_key',
  'apiKey',
  'token',
  'refreshToken',
  'full_key',
  'key',
  'secret',
]

/**
 * The process's logger: one JSON line an event, written at once (a buffered writer measured slower).
 * Fields that carry secrets are blanked by name wherever they turn up, one level down as well.
 */
export function openLog(options: { level: string; name: string; destination?: DestinationStream }): Log {
  const settings = {
    name: options.name,
    level: options.level,
    base: { process: options.name, pid: process.pid },
    redact: { paths: [...secrets, ...secrets.map(field => `*.${field}`)], censor: '***' },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
