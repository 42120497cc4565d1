import { describe, expect, it } from 'vitest'
import { translateImage } from './content.ts'

const param = 'messages[0].content[0].image_url.url'
const inline = (media_type: string, data = 'aGk=') => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
})

describe('images inline', () => {
  it.each([
    ['plain', 'data:image/png;base64,aGk=', inline('image/png')],
    ['in capitals', 'DATA:IMAGE/JPEG;BASE64,aGk=', inline('image/jpeg')],
    ['by another name', 'data:image/jpg;base64,aGk=', inline('image/jpeg')],
    ['with parameters', 'data:image/webp;charset=utf-8;base64,aGk=', inline('image/webp')],
    ['with white space', 'data:image/gif;base64, aG\r\nk= ', inline('image/gif')],
  ])('%s', (_what, url, expected) => {
    expect(translateImage(url, param)).toEqual(expected)
  })

  it.each([
    'data:image/svg+xml;base64,aGk=',
    'data:application/pdf;base64,aGk=',
    'data:;base64,aGk=',
    'data:constructor;base64,aGk=',
    'data:image/png,aGk=',
    'data:image/png;base64,',
    'data:image/png;base64,a*b',
    'data:image/png;base64',
  ])('%s is refused', url => {
    expect(() => translateImage(url, param)).toThrow(
      expect.objectContaining({ errorName: 'invalid_request', details: expect.objectContaining({ param }) }),
    )
  })
})

it('images by address are fetched by the vendor, over HTTPS alone', () => {
  const url = 'https://example.com/a.png?b=c'
  expect(translateImage(url, param)).toEqual({ type: 'image', source: { type: 'url', url } })
  for (const other of [
    'http://example.com/a.png',
    'file:///etc/passwd',
    'https://',
    'a.png',
    '//example.com/a',
  ])
    expect(() => translateImage(other, param)).toThrow(
      expect.objectContaining({ errorName: 'invalid_request' }),
    )
})
