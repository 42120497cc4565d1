import { models } from './models.ts'
import type { Comparison } from './scenario.ts'

const whole = { shape: { connections: 50 }, keys: 1 }
const streamed = { shape: { connections: 20 }, keys: 1, streamChunks: 20 }

/** vendor_b speaks the Anthropic Messages format, which is translated both ways; vendor_a's is passed on. */
export const vendorB: Comparison[] = [
  {
    name: 'vendor-b-whole',
    says: 'vendor_b to vendor_a, 50 connections',
    load: { ...whole, model: models.b },
    base: whole,
  },
  {
    name: 'vendor-b-streamed',
    says: 'vendor_b to vendor_a, 20 chunks, 20 connections',
    load: { ...streamed, model: models.b },
    base: streamed,
    atMostCpuRatio: 1.6,
  },
]
