import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { importModels } from '../../operator/catalogue-import/import-models.ts'
import { chooseModelList } from '../../operator/catalogue-import/lists/choose-list.ts'
import { readSource } from '../../operator/catalogue-import/lists/read-source.ts'
import { openCatalogue } from '../../operator/catalogue-import/open-catalogue.ts'
import { aCatalogueFolder, aModelList } from '../../test/harness/an-import.ts'

test('two imports of a full-size api.json take less than 10 seconds, in proportion to its models', async () => {
  const half = await cpuSecondsOf(3_000)
  const full = await cpuSecondsOf(6_149)
  expect(full).toBeLessThan(10)
  expect(full / half).toBeLessThan(3)
})

/**
 * Imports this number of models into an empty catalogue, and again into the result. Returns the CPU time of both, because
 * other processes may keep the machine busy.
 */
async function cpuSecondsOf(count: number): Promise<number> {
  const folder = await aCatalogueFolder()
  const path = join(folder, 'api.json')
  const text = JSON.stringify(aModelList(count), null, 2)
  expect(text.length).toBeGreaterThan(count * 570) // 3.5 MB for 6,149 models
  await writeFile(path, text)

  const before = process.cpuUsage()
  expect(await findingsOf(folder, path)).toHaveLength(count)
  expect(await findingsOf(folder, path)).toEqual([])
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

async function findingsOf(folder: string, path: string) {
  const { json, digest } = await readSource(path)
  const catalogue = await openCatalogue(folder)
  const findings = importModels(catalogue, {
    list: chooseModelList(json, path),
    provider: 'openai',
    vendor: catalogue.vendors[0]!,
    isWanted: () => true,
    comparedLists: [],
    margin: undefined,
    accepted: new Set(),
    source: { commit: digest, date: '2026-07-02' },
  })
  await catalogue.files.save()
  return findings
}
