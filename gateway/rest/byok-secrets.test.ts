import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { anyConfig, secretMark } from '../../test/harness/any-config.ts'
import { perFile } from '../../test/harness/per-file.ts'

const control = perFile(aControlPlane)
const person = perFile(() => control.aPerson())

test('no response and no column reveals a secret of any configuration', async () => {
  const { token } = person
  const shown = '{ id label apiKeyPrefix configJson }'
  await fc.assert(
    fc.asyncProperty(anyConfig, async config => {
      // Fields that the vendor reads have their own rules. Other fields can have any shape.
      const written = {
        provider: 'vendor_a',
        label: 'any',
        api_key: `${secretMark}key-of-ours`,
        config_json: { config },
      }
      const created = await control.rest('POST', '/byok', { token, body: written })
      expect(created.status).toBe(201)
      const path = `/byok/${created.body.id}`
      const back = await control.rest('PUT', path, { token, body: created.body })
      expect([back.status, back.body.config_json]).toEqual([200, created.body.config_json])
      const refused = await control.rest('PUT', path, {
        token,
        body: { base_url: 'https://evil.example', config_json: created.body.config_json },
      })
      expect(refused.status).toBe(422)
      const answers = [
        created,
        back,
        refused,
        await control.rest('GET', '/byok', { token }),
        await control.graph(`{ byokCredentials ${shown} me { byokCredentials ${shown} } }`, { token }),
        await control.context.sql`select c::text from provider_credentials c`,
      ]
      expect(JSON.stringify(answers)).not.toContain(secretMark)
      expect((await control.rest('DELETE', path, { token })).status).toBe(204)
    }),
    { numRuns: 40 },
  )
})
