import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readCatalogue } from '../../domain/models/read-catalogue.ts'
import { aCatalogueFolder, aModelList, runImport } from '../../test/harness/an-import.ts'

test('mistakes are one line, with exit code 1', async () => {
  const folder = await aCatalogueFolder()
  const list = join(folder, 'api.json')
  await writeFile(list, JSON.stringify(aModelList(1)))
  await writeFile(join(folder, 'text.json'), 'api')
  const prices = join(folder, 'prices.json')
  await writeFile(prices, JSON.stringify([{ id: 'openai', models: [] }]))
  const faults = await Promise.all([
    runImport(folder),
    runImport(folder, '--from', '/nowhere.json'),
    runImport(folder, '--from', prices),
    runImport(folder, '--from', list, '--provider', 'openai'),
    runImport(folder, '--from', list, '--provider', 'openai', '--as', 'vendor_z'),
    runImport(folder, '--from', list, '--margin', 'much'),
    runImport(folder, '--from', list, '--accept', 'chat.other'),
    runImport(folder, '--from', list, '--compare', list, '--compare', join(folder, 'text.json')),
  ])
  expect(faults.map(({ code, out, fault }) => [code, out, fault.replaceAll(folder, 'FOLDER')])).toEqual(
    [
      '--from FILE|URL is missing: see --help',
      'there is nothing at /nowhere.json',
      'FOLDER/prices.json has the format of genai-prices, which is only read to compare prices: see --compare',
      '--provider and --as go together: see --help',
      '--as vendor_z is not one of the labels vendor_a to vendor_r',
      '--margin must be like 10%',
      '--accept chat.other: the import would not change this entry',
      'FOLDER/text.json is not JSON',
    ].map(line => [1, '', `catalog:import: ${line}\n`]),
  )
  expect(await readdir(join(folder, 'models'))).toEqual([])
}, 120_000)

test('--check prints the differences and writes nothing; exit codes say whether something is left', async () => {
  const folder = await aCatalogueFolder()
  const list = aModelList(3)
  const server = createServer((_, response) => response.end(JSON.stringify(list)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api.json`
  const given = ['--from', url, '--only', 'model-0,*-2', '--date', '2026-07-02', '--commit', 'f3fc692']

  const added = ['model-0', 'model-2'].map(name => `added: chat.${name}: vendor_a/${name}\n`).join('')
  expect(await runImport(folder, ...given, '--check')).toEqual({ code: 2, out: added, fault: '' })
  expect(await readdir(join(folder, 'models'))).toEqual([])
  expect(await runImport(folder, ...given)).toEqual({
    code: 0,
    out: `${added}2 models written to ${folder}\n`,
    fault: '',
  })
  expect(await runImport(folder, ...given, '--check')).toEqual({ code: 0, out: '', fault: '' })
  list.openai.models['model-0']!.cost.input = 20
  const held = 'not written, needs --accept: chat.model-0: input moves by more than a third, 2 → 20'
  expect(await runImport(folder, ...given)).toMatchObject({ code: 2, out: expect.stringContaining(held) })
  expect(await runImport(folder, ...given, '--accept', 'chat.model-0')).toMatchObject({ code: 0 })
}, 120_000)

test('what is imported is a valid catalogue', async () => {
  const folder = await aCatalogueFolder()
  await writeFile(join(folder, 'api.json'), JSON.stringify(aModelList(20)))
  await runImport(
    folder,
    '--from',
    join(folder, 'api.json'),
    '--provider',
    'openai',
    '--as',
    'vendor_d',
    '--margin',
    '10%',
  )
  const { models } = await readCatalogue(folder)
  expect(models).toHaveLength(20)
  expect(models[19]).toMatchObject({ model: 'vendor_d/model-19', source: { margin: '10 %' } })
})
