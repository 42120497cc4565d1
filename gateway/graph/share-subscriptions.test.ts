import { type ExecutionResult, parse } from 'graphql'
import { expect, test } from 'vitest'
import { LatestStream } from '../../platform/watch/latest-stream.ts'
import { isShareable, openSharedSubscriptions, type Subscribed } from './share-subscriptions.ts'

/** A subgraph for subscriptions. `opened` contains each of its subscriptions. */
function aSubgraph() {
  const share = openSharedSubscriptions()
  const opened: { events: LatestStream<ExecutionResult>; left: boolean }[] = []
  const subscribe = async (): Promise<Subscribed> => {
    const one = {
      events: new LatestStream<ExecutionResult>({ onClose: () => (one.left = true) }),
      left: false,
    }
    opened.push(one)
    return one.events
  }
  const open = async (name = 'task_1') => {
    const events = await share(name, subscribe)
    if (!('next' in events)) throw new Error(JSON.stringify(events))
    return events
  }
  return { share, opened, open }
}

const event = (state: string) => ({ data: { taskUpdated: { state } } })
const told = (state: string) => ({ done: false, value: event(state) })
const end = { done: true, value: undefined }

test('identical subscriptions share one; a later subscriber receives the current state', async () => {
  const { opened, open } = aSubgraph()
  const readers = await Promise.all(Array.from({ length: 100 }, () => open()))
  opened[0]?.events.push(event('QUEUED'))
  for (const reader of readers) expect(await reader.next()).toEqual(told('QUEUED'))
  const late = await open()
  expect(await late.next()).toEqual(told('QUEUED'))
  opened[0]?.events.push(event('SUCCESS'))
  opened[0]?.events.end()
  for (const reader of [...readers, late]) {
    expect(await reader.next()).toEqual(told('SUCCESS'))
    expect(await reader.next()).toEqual(end)
  }
  expect(opened).toHaveLength(1)
  await open()
  expect(opened).toHaveLength(2) // the first one is over
})

test('subscribers receive separate copies of an event', async () => {
  const { opened, open } = aSubgraph()
  const [one, other] = [await open(), await open()]
  opened[0]?.events.push(event('QUEUED'))
  const { value } = await one.next()
  Object.assign(value.data.taskUpdated, { model: 'Reel' })
  expect(await other.next()).toEqual(told('QUEUED'))
})

test('different subscriptions are not shared; a shared one ends with its last subscriber', async () => {
  const { opened, open } = aSubgraph()
  const readers = [await open(), await open(), await open('task_2')]
  expect(opened).toHaveLength(2)
  await readers[0]?.return?.()
  expect(opened.map(({ left }) => left)).toEqual([false, false])
  await readers[1]?.return?.()
  expect(opened.map(({ left }) => left)).toEqual([true, false])
  await open()
  expect(opened).toHaveLength(3)
})

test('a refusal reaches every waiting subscriber; the next subscription is opened again', async () => {
  const { share } = aSubgraph()
  let asked = 0
  const refuse = async () => ({ errors: [], extensions: { asked: ++asked } })
  const [one, other] = await Promise.all([share('x', refuse), share('x', refuse)])
  expect([one, other]).toMatchObject(Array(2).fill({ extensions: { asked: 1 } }))
  expect(await share('x', refuse)).toMatchObject({ extensions: { asked: 2 } })
})

test('only subscriptions whose last event has the complete state are shared', () => {
  const of = (text: string) => isShareable(parse(text))
  expect(of('subscription ($id: ID!) { taskUpdated(id: $id) { state } }')).toBe(true)
  expect(of('subscription { balanceChanged { credits } }')).toBe(true)
  expect(of('subscription { tasksUpdated { state } }')).toBe(false)
  expect(of('query { me { id } }')).toBe(false)
})
