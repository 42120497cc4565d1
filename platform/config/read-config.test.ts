import { expect, test } from 'vitest'
import { readConfig } from './read-config.ts'

test("a vendor's address must be one of HTTP, like every address", () => {
  for (const address of ['file:///x', 'api.example.com', 'ftp://api.example.com'])
    expect(() => readConfig({ VENDOR_A_BASE_URL: address })).toThrow(
      /^VENDOR_A_BASE_URL must be an address that begins with http:\/\/ or https:\/\/$/,
    )
})

test("a vendor's settings are kept by its label, the address without its trailing slash", () => {
  const { vendors } = readConfig({ VENDOR_R_BASE_URL: 'https://api.example.com/', VENDOR_R_API_KEY: 'its' })
  expect(vendors).toEqual(new Map([['vendor_r', { apiKey: 'its', baseUrl: 'https://api.example.com' }]]))
})
