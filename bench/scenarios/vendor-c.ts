import { models } from './models.ts'
import type { Comparison } from './scenario.ts'

const whole = { shape: { connections: 50 }, keys: 1 }
const streamed = { shape: { connections: 20 }, keys: 1, streamChunks: 20 }

/** vendor_c speaks the Gemini format, which is translated both ways; vendor_a's is passed on. */
export const vendorC: Comparison[] = [
  {
    name: 'vendor-c-whole',
    says: 'vendor_c to vendor_a, 50 connections',
    load: { ...whole, model: models.c },
    base: whole,
  },
  {
    name: 'vendor-c-streamed',
    says: 'vendor_c to vendor_a, 20 chunks, 20 connections',
    load: { ...streamed, model: models.c },
    base: streamed,
    atMostCpuRatio: 1.6,
  },
]
