/**
 * The floor: what a gateway costs that does nothing. Koa takes the request, undici passes it on, the bytes come
 * back as they are. No keys, no limits, no money, no log.
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
