/**
 * The floor: the cost of a gateway that does nothing. Koa receives the request, undici forwards it, and the bytes of the
 * response are returned unchanged. No keys, no limits, no money, no log.
 *
 *   node bench/floor/main.ts PORT UPSTREAM_ADDRESS
 */
import Koa from 'koa'
import { Pool } from 'undici'
import { passOn } from './pass-on.ts'

const [port, upstreamAddress = ''] = process.argv.slice(2)
const upstream = new Pool(upstreamAddress)

new Koa()
  .use(context => {
    if (context.method === 'POST') return passOn(upstream, context)
    context.status = 200
    context.body = ''
  })
  .listen(Number(port), '127.0.0.1')
