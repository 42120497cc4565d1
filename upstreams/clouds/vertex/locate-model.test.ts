import { expect, test } from 'vitest'
import { locateVertexModel } from './locate-model.ts'

const account = {
  clientEmail: 'x',
  privateKey: 'x',
  privateKeyId: undefined,
  projectId: 'a project',
  tokenUri: 'https://oauth2.example',
}

test.each([
  ['europe-west4', 'https://europe-west4-aiplatform.googleapis.com'],
  ['global', 'https://aiplatform.googleapis.com'],
  ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
  ['constructor', 'https://constructor-aiplatform.googleapis.com'],
])('a model in %s answers at %s', (region, origin) => {
  const located = locateVertexModel({ account, region }, { baseUrl: '', model: 'aurora' })
  expect(located).toEqual({
    origin,
    path: `/v1beta1/projects/a%20project/locations/${region}/publishers/google/models/aurora`,
  })
})
