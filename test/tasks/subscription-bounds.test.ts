import { expect, onTestFinished, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aGraphSystem } from './a-graph-system.ts'
import { type Protocol, protocols, type Result } from './subscribers.ts'

const system = perFile(() => aGraphSystem({ ALLOWANCES: 'subscriptions=10/10' }))

function open(protocol: Protocol, token: string) {
  const client = protocols[protocol](system.control.url, token)
  onTestFinished(() => client.dispose())
  return client
}

const stateOf = ({ data, errors }: Result) =>
  data ? data.taskUpdated.state : errors?.[0]?.extensions?.problem

test.each(['graphql-ws', 'graphql-sse'] as const)(
  '%s: an account has so many subscriptions open and no more; one that ends makes room; others have their own',
  async protocol => {
    const { person, submit, control } = system
    const { id } = await submit()
    const client = open(protocol, person.token)
    const subscribe = () => client.subscribe(`subscription { taskUpdated(id: "${id}") { state } }`)
    const streams = Array.from({ length: 10 }, subscribe)
    const firsts = await Promise.all(streams.map(stream => stream.next()))
    expect(firsts.map(({ value }) => stateOf(value))).toEqual(Array(10).fill('QUEUED'))
    const one = async () => stateOf((await subscribe().next()).value)
    expect(await one()).toBe('allowance_exceeded')
    const stranger = open(protocol, (await control.aPerson()).token)
    const others = stranger.subscribe(`subscription { taskUpdated(id: "${id}") { state } }`)
    expect(stateOf((await others.next()).value)).toBe('task_not_found')
    await streams[0]?.return?.()
    await expect.poll(one, { interval: 100 }).toBe('QUEUED')
    await client.dispose()
    const another = open(protocol, person.token)
    const again = async () => {
      const events = another.subscribe(`subscription { taskUpdated(id: "${id}") { state } }`)
      return stateOf((await events.next()).value)
    }
    await expect.poll(again, { interval: 100 }).toBe('QUEUED')
  },
)
