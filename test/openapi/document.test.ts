import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { openApiFile, openApiText } from '../../gateway/openapi/build-openapi.ts'
import { accountExportPath } from '../../gateway/rest/routes/account-export.ts'
import { routes as restRoutes } from '../../gateway/rest/routes/routes.ts'
import { openaiRoutes } from '../../inference-edge/openai/openai-routes.ts'
import { routes as edgeRoutes } from '../../inference-edge/routes.ts'
import { described, document, type Json, resolve } from './the-document.ts'

test('schema/openapi.json says what the shapes, the table of REST and the graph say: run `npm run graph` when this fails', async () => {
  expect(await readFile(openApiFile, 'utf8')).toBe(await openApiText())
})

test('it is valid OpenAPI 3.1', async () => {
  const path = createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator')
  const { Validator }: Json = await import(pathToFileURL(path).href)
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every route is described, nothing else is, and each operation has a name of its own and a summary', () => {
  const plain = (path: string) => path.replace(/\{\w+\}/g, '*')
  const openai = Object.entries(openaiRoutes).map(([path, methods]) => [`/openai${path}`, methods] as const)
  const served = [
    ...[...Object.entries(edgeRoutes), ...openai].flatMap(([path, methods]) =>
      Object.keys(methods).map(it => `${it} ${path}`),
    ),
    `GET /api/v1${accountExportPath}`,
    ...restRoutes.flatMap(({ method, path, isExported }) => {
      const address = `${method} /api/v1${plain(path)}`
      return isExported ? [address, `${address}.ndjson`, `${address}.csv`] : [address]
    }),
  ]
  const named = described.map(({ method, path }) => `${method.toUpperCase()} ${plain(path)}`)
  expect(named.toSorted()).toEqual(served.toSorted())
  const ids = described.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { operation } of described) expect(operation.summary, operation.operationId).toMatch(/\w{3}/)
})

test('each operation that takes a body or names something in its path has an example', () => {
  const without = described.filter(({ operation }) => {
    const needed = [
      ...(operation.requestBody ? [operation.requestBody.content['application/json']] : []),
      ...operation.parameters.filter((parameter: Json) => parameter.in === 'path'),
    ]
    return needed.some(({ example }) => example === undefined)
  })
  expect(without.map(({ operation }) => operation.operationId)).toEqual([])
})

test('the page writes every shape as a type', async () => {
  const { typeText }: Json = await import(
    new URL('../../gateway/openapi/page/type-text.js', import.meta.url).href
  )
  for (const { operation } of described)
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values<Json>(operation.responses)])
      for (const { schema } of Object.values<Json>(content))
        expect(typeText(schema, resolve), operation.operationId).not.toMatch(/undefined|\[object/)
  const schema = {
    properties: {
      name: { type: 'string', maxLength: 9, description: 'Its name.' },
      parts: { type: 'array', items: { anyOf: [{ type: 'string' }, { const: 'a' }] } },
      error: { $ref: '#/components/schemas/TokenCount' },
    },
    required: ['name'],
  }
  expect(typeText(schema, resolve).split('\n').slice(0, 4)).toEqual([
    '{',
    '  name: string  // Its name; at most 9 characters',
    '  parts?: (string | "a")[]',
    '  error?: {',
  ])
})
