import { expect, test } from 'vitest'
import { parseAuthorization, signatureOf } from './aws-signature.ts'

test("the signature of AWS's published example is correct", () => {
  const authorization = parseAuthorization(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  )
  if (!authorization) throw new Error('not parsed')
  const request = {
    method: 'GET',
    path: '/',
    query: '',
    headers: { host: 'example.amazonaws.com', 'x-amz-date': '20150830T123600Z' },
    body: Buffer.alloc(0),
  }
  const signature = signatureOf(request, authorization, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')
  expect(signature).toBe(authorization.signature)
})
