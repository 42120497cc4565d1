/**
 * The floor: what a gateway costs that does nothing. Koa takes the request, undici passes it on, the bytes come
 * back as they are. No keys, no limits, no money, no log.
 *
 *   node bench/floor/main.ts PORT UPSTREAM_ADDRESS plain|lean
 */
import Koa from 'koa'
import { Pool } from 'undici'
import { passLeanly } from './pass-leanly.ts'
import { passPlainly } from './pass-plainly.ts'

const [port, upstreamAddress = '', kind] = process.argv.slice(2)
const upstream = new Pool(upstreamAddress)
const proxy = kind === 'lean' ? passLeanly : passPlainly

new Koa()
  .use(context => {
    if (context.method === 'POST') return proxy(upstream, context)
    context.status = 200
    context.body = ''
  })
  .listen(Number(port), '127.0.0.1')
