/**
 * The floor: the cost of a gateway that does nothing. Koa receives the request, undici forwards it, and the bytes of the
 * response are returned unchanged. No keys, no limits, no money, no log. Several processes share the port as edge
 * processes do.
 *
 *   node bench/floor/main.ts PORT UPSTREAM_ADDRESS [PROCESSES]
 */
import cluster from 'node:cluster'
import Koa from 'koa'
import { Pool } from 'undici'
import { passOn } from './pass-on.ts'

const [port, upstreamAddress = '', processes = '1'] = process.argv.slice(2)

if (cluster.isPrimary && Number(processes) > 1) {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  for (let started = 0; started < Number(processes); started++) cluster.fork()
} else {
  const upstream = new Pool(upstreamAddress)
  new Koa()
    .use(context => {
      if (context.method === 'POST') return passOn(upstream, context)
      context.status = 200
      context.body = ''
    })
    .listen(Number(port), '127.0.0.1')
}
