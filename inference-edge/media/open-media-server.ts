import { ownPrefix } from '../../domain/media/own-name.ts'
import { Problem } from '../../schema/errors.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import { openProxied } from '../proxy/proxied.ts'
import { serveFile } from './serve-file.ts'

/** Serves stored media without a key. Only clients that know the name of a file can read it. */
export interface MediaServer {
  takes(path: string): boolean
  serve(edge: Edge, ctx: EdgeContext): Promise<void>
}

/** The limit of all networks together, in multiples of one network's limit. */
const networks = 8

/**
 * Opens the server of stored media, under `/media/` and the path of `MEDIA_URL` (docs/behaviour.md, Stored media). The
 * number of concurrent responses per network is limited, and a client that reads too slowly is disconnected.
 */
export function openMediaServer({ config, limits }: Pick<Edge, 'config' | 'limits'>): MediaServer {
  const publicPrefix = `${new URL(config.mediaUrl).pathname.replace(/\/$/, '')}/`
  const prefixes = publicPrefix === '/' ? [ownPrefix] : [ownPrefix, publicPrefix]
  const { mediaPerAddress } = limits
  const sending = openProxied({ maxPerNetwork: mediaPerAddress, max: networks * mediaPerAddress })
  const prefixOf = (path: string) => prefixes.find(prefix => path.startsWith(prefix))
  return {
    takes: path => prefixOf(path) !== undefined,
    async serve(edge, ctx) {
      if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
        ctx.set('allow', 'GET, HEAD')
        throw new Problem('method_not_allowed')
      }
      const leave = sending.enter(edge.clientAddressOf(ctx.req))
      try {
        await serveFile(edge, ctx, ctx.path.slice(prefixOf(ctx.path)?.length))
      } finally {
        leave()
      }
    },
  }
}
