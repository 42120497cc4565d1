import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { closed, drained, pause } from './exchange.ts'

const aResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

describe.each([
  ['pause', (response: ServerResponse) => pause(response, 60_000)],
  ['drained', drained],
  ['closed', closed],
])('%s', (_name, wait) => {
  it('ends when the response closes, and leaves no listeners behind', async () => {
    const response = aResponse()
    const waited = wait(response)
    response.destroy()
    await waited
    expect([response.listenerCount('close'), response.listenerCount('drain')]).toEqual([0, 0])
  })

  it('ends at once for a response that is closed already', async () => {
    const response = aResponse()
    response.destroy()
    await wait(response)
  })
})

describe('pause', () => {
  it('ends when the time is over', async () => {
    const response = aResponse()
    await pause(response, 1)
    await pause(response, 0)
    expect(response.listenerCount('close')).toBe(0)
  })
})
