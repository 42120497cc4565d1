import { expect, test } from 'vitest'
import { FairTurns } from './fair-turns.ts'

test('owners take turns one by one, however much one of them has to do', async () => {
  const turns = new FairTurns()
  const order: string[] = []
  const work = async (id: string, isPreferred = true) => {
    const end = await turns.take({ id, isPreferred })
    order.push(id)
    end()
  }
  await Promise.all([work('a'), work('a'), work('a'), work('a'), work('b'), work('c')])
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'a'])
})

test('owners without preference get one turn in four while others wait, and all when none does', async () => {
  const turns = new FairTurns()
  const order: string[] = []
  const work = async (id: string, isPreferred: boolean) => {
    const end = await turns.take({ id, isPreferred })
    order.push(id)
    end()
  }
  const free = Array.from({ length: 4 }, () => work('free', false))
  const paying = Array.from({ length: 8 }, (_, at) => work(`p${at}`, true))
  await Promise.all([...free, ...paying])
  expect(order.slice(0, 8).filter(id => id === 'free')).toHaveLength(2)
  expect(order.slice(-1)).toEqual(['free'])
})

test('a turn whose work never ends keeps nobody waiting', async () => {
  const turns = new FairTurns()
  await turns.take({ id: 'stuck', isPreferred: true })
  const end = await turns.take({ id: 'other', isPreferred: true })
  end()
})
