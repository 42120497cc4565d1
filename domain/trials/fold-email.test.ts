import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldEmail } from './fold-email.ts'

test.each([
  ['ada+trial@example.com', 'ada@example.com'],
  ['ada.lovelace@example.com', 'ada.lovelace@example.com'],
  ['a.d.a+2+3@googlemail.com', 'ada@gmail.com'],
  ['ada_l-ovelace+x@pm.me', 'adalovelace@proton.me'],
  ['ada@mac.com', 'ada@icloud.com'],
  ['ada-shop@yahoo.com', 'ada@yahoo.com'],
  ['ada-shop@example.com', 'ada-shop@example.com'],
  ['ada.lovelace+x@yandex.com', 'ada-lovelace@yandex.ru'],
  ['ada-lovelace@ya.ru', 'ada-lovelace@yandex.ru'],
  ['shop@ada.fastmail.com', 'ada@fastmail.com'],
  ['shop+x@ada.fastmail.fm', 'ada@fastmail.com'],
  ['ada@shop.gmail.com', 'ada@shop.gmail.com'],
  ['+@example.com', '+@example.com'],
  ['.@gmail.com', '.@gmail.com'],
  ['a@constructor', 'a@constructor'],
])('%s reaches %s', (email, mailbox) => expect(foldEmail(email)).toBe(mailbox))

test('folding again changes nothing, and a tag never changes the mailbox', () => {
  const local = fc.stringMatching(/^[a-z][a-z0-9.]{0,20}$/)
  const domain = fc.constantFrom('gmail.com', 'googlemail.com', 'proton.me', 'me.com', 'example.com', 'ya.ru')
  fc.assert(
    fc.property(local, domain, fc.stringMatching(/^[a-z0-9+]{0,10}$/), (name, host, tag) => {
      const folded = foldEmail(`${name}@${host}`)
      expect(foldEmail(folded)).toBe(folded)
      expect(foldEmail(`${name}+${tag}@${host}`)).toBe(folded)
    }),
  )
})
