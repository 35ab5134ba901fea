import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Attempts } from './interaction.ts'
import { pageLocale } from './page.ts'
import { hashPassword, isPassword } from './people.ts'
import { isReturnAddress } from './embedded.ts'
import { makeSeal } from './sealed.ts'

test('chooses the first preferred page language that the product supports', () => {
  const cases: [unknown, string | undefined, string][] = [
    [undefined, undefined, 'en-GB'],
    ['pt-BR', 'en-GB', 'pt-BR'],
    ['de fr', 'pt;q=0.9', 'pt-BR'],
    [undefined, 'de-DE,en-US;q=0.7,pt;q=0.3', 'en-GB'],
    [['pt-BR'], undefined, 'en-GB'],
    [undefined, '*', 'en-GB'],
  ]
  for (const [request, header, expected] of cases) assert.equal(pageLocale(request, header), expected)
})

test('accepts only the portal and local programs as return addresses', () => {
  const portal = 'https://portal.example'
  const good = ['https://portal.example/sign-in', 'http://127.0.0.1:1024/', 'http://127.0.0.1:65535/']
  const bad = [
    'https://portal.example/sign-in/',
    'https://portal.example/sign-in?',
    'https://PORTAL.example/sign-in',
    'https://portal.example.evil/sign-in',
    'http://127.0.0.1:1023/',
    'http://127.0.0.1:65536/',
    'http://127.0.0.1:080000/',
    'http://127.0.0.1:5000',
    'http://127.0.0.1:5000/x',
    'http://localhost:5000/',
    'http://user@127.0.0.1:5000/',
    'http://127.0.0.1:5000/\n',
  ]
  for (const address of good) assert.ok(isReturnAddress(address, portal), address)
  for (const address of bad) assert.ok(!isReturnAddress(address, portal), address)
})

test('opens a sealed value only with its secret and purpose, unaltered and before it expires', async () => {
  const [secret, other] = [randomBytes(32), randomBytes(32)]
  const text = await makeSeal(secret).seal('cookie', { nonce: 'n' }, 1000)
  assert.equal((await makeSeal(secret).open('cookie', text, 999))?.nonce, 'n')
  assert.equal(await makeSeal(secret).open('cookie', text, 1000), undefined)
  assert.equal(await makeSeal(secret).open('token', text, 999), undefined)
  assert.equal(await makeSeal(other).open('cookie', text, 999), undefined)
  assert.equal(await makeSeal(secret).open('cookie', `${text.slice(0, -2)}AA`, 999), undefined)
  assert.equal(await makeSeal(secret).open('cookie', '', 999), undefined)
})

test('accepts only the right password and rejects an unknown user', async () => {
  const hash = await hashPassword('correct horse')
  assert.equal(await isPassword('correct horse', hash), true)
  assert.equal(await isPassword('correct hors', hash), false)
  assert.equal(await isPassword('', undefined), false)
})

test('limits sign-in attempts per person and address, and resets them after success', () => {
  const attempts = new Attempts()
  for (let i = 0; i < 5; i++) assert.ok(attempts.begin('acme/bob', '10.0.0.1', 100))
  assert.ok(!attempts.begin('acme/bob', '10.0.0.1', 101))
  assert.ok(attempts.begin('acme/bob', '10.0.0.2', 101), 'other addresses cannot lock bob out')
  assert.ok(attempts.begin('acme/bob', '10.0.0.1', 401))
  for (let i = 0; i < 20; i++) {
    assert.ok(attempts.begin('acme/eve', '10.0.0.3', 100))
    attempts.succeed('acme/eve', '10.0.0.3')
  }
  let tried = 0
  while (attempts.begin(`acme/${tried}`, '10.0.0.4', 100)) tried++
  assert.equal(tried, 50)
})
