import { models } from './models.ts'
import type { FloorScenario } from './scenario.ts'

/**
 * Images beside the same through the floor, which passes them on inline. The edge holds and charges each, reads it out of
 * the answer, finds its type, stores it and answers its address.
 */
export const images: FloorScenario[] = [imagesOf('images-64', 64 << 10), imagesOf('images-1024', 1 << 20)]

function imagesOf(name: string, imageBytes: number): FloorScenario {
  return {
    name,
    says: `images of ${imageBytes >> 10} kB, 20 connections`,
    load: { shape: { connections: 20 }, keys: 1, protocol: 'images', model: models.images, imageBytes },
  }
}
