import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aCatalogueFolder, aModelList, runImport } from '../../test/harness/an-import.ts'

test('an api.json of full size is imported in less than 10 seconds, in proportion to its models', async () => {
  const half = await secondsOf(3_000)
  const full = await secondsOf(6_149)
  expect(full).toBeLessThan(10)
  expect(full / half).toBeLessThan(3)
})

async function secondsOf(count: number): Promise<number> {
  const folder = await aCatalogueFolder()
  const text = JSON.stringify(aModelList(count), null, 2)
  expect(text.length).toBeGreaterThan(count * 570) // 3.5 MB for 6,149 models
  await writeFile(join(folder, 'api.json'), text)
  const startedAt = performance.now()
  const { code, out } = await runImport(folder, '--from', join(folder, 'api.json'))
  expect([code, out.split('\n').length]).toEqual([0, count + 2])
  return (performance.now() - startedAt) / 1_000
}
