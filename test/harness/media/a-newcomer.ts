import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, readCatalogue } from '../../../domain/models/read-catalogue.ts'

export const newcomer = 'vendor_q/newcomer'

/** A vendor that nothing in the code knows: its queue, and a model of it, as an operator writes them. */
const yaml = `
- id: text-to-video.newcomer
  model: vendor_q/newcomer
  name: Newcomer
  description: A model of a vendor that has just been connected.
  created: 2026-11-01
  upstream:
    model: nc-video-turbo
    request:
      under: parameters
      fields:
        - { from: prompt, to: input.prompt }
        - { from: image_urls, to: input.frames, each: src }
        - { from: duration, to: parameters.length, as: text }
        - { from: [aspect_ratio, resolution], to: parameters.size,
            values: { "16:9 720p": 1280*720, "9:16 720p": 720*1280, "16:9 1080p": 1920*1080, "9:16 1080p": 1080*1920 } }
        - { to: parameters.watermark, value: false }
    queue:
      key: { header: X-Access-Token, scheme: "" }
      submit: { path: /services/generation, headers: { X-Async: enable }, model: model_name }
      id: output.task_id
      status:
        path: "/jobs/{id}"
        at: output.task_status
        done: [SUCCEEDED]
        failed: [FAILED, UNKNOWN]
        cancelled: [CANCELED]
        progress: output.progress
        progress_end: 1
      files: [output.results.*.url]
      error: { message: [output.message, message], code: output.code, refused: [DataInspectionFailed] }
      cancel: { method: POST, path: "/jobs/{id}/cancel" }
      takes_data_uris: true
  generation: { poll_ms: 1500, time_limit_ms: 900000, cancellable: true, idempotency_header: X-Request-Token }
  parameters:
    required: [prompt]
    properties:
      prompt: { $ref: "../parameters/fields.yaml#/prompt", maxLength: 800 }
      image_urls: { $ref: "../parameters/fields.yaml#/image_urls", maxItems: 2 }
      duration: { $ref: "../parameters/fields.yaml#/duration", enum: [5, 10], default: 5 }
      resolution: { $ref: "../parameters/fields.yaml#/resolution", enum: [720p, 1080p], default: 720p }
      aspect_ratio: { $ref: "../parameters/fields.yaml#/aspect_ratio", enum: ["16:9", "9:16"], default: "16:9" }
      seed: { $ref: "../parameters/fields.yaml#/seed" }
  prices:
    rates: [{ price: 0.05 per second }]
`

/** The catalogue that ships, with that file beside the others: nothing else is said of the vendor anywhere. */
export async function aCatalogueWithNewcomer(): Promise<Catalogue> {
  const folder = await mkdtemp(join(tmpdir(), 'newcomer-'))
  try {
    await cp(new URL('../../../schema/catalog', import.meta.url), folder, { recursive: true })
    await writeFile(join(folder, 'models/newcomer.yaml'), yaml)
    return await readCatalogue(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
