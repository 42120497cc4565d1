import { request } from 'undici'
import { models } from '../load/models.ts'
import { type Directions, writeDirections } from '../upstream/directions.ts'

/** Submits a video and resolves to the ID of its task. Throws if the submit is refused. */
export async function submitVideo(
  port: number,
  options: { key: string; directions?: Partial<Directions>; callbackUrl?: string },
): Promise<string> {
  const { key, directions, callbackUrl } = options
  const prompt = `A paper boat in the rain. ${directions ? writeDirections(directions) : ''}`
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/v1/videos/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: models.videos, prompt, callback_url: callbackUrl }),
  })
  const text = await body.text()
  if (statusCode === 200) return JSON.parse(text).id
  throw new Error(`a submit was answered with ${statusCode}: ${text.slice(0, 200)}`)
}
