import { expect, test } from 'vitest'
import { RunnerPool } from '../../platform/jobs/runner-pool.ts'
import { aDatabase } from '../harness/a-database.ts'
import { perFile } from '../harness/per-file.ts'

const database = perFile(aDatabase)

test('the second release of a connection is ignored, also after others have taken it', async () => {
  const pool = new RunnerPool({ connectionString: database.url, max: 1 })
  const take = () =>
    new Promise<() => void>((resolve, reject) => {
      pool.connect((error, _client, release) => (error ? reject(error) : resolve(release)))
    })
  const first = await take()
  first()
  const second = await take()
  first()
  expect(pool.idleCount).toBe(0)
  second()
  expect(pool.idleCount).toBe(1)
  await pool.end()
})
