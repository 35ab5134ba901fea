import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseLocale, localeCookie, splitLocale } from './locale.ts'

const nothing = { pathname: '/dashboard', cookies: '', languages: [] }

test('a locale prefix counts only as a whole path segment', () => {
  assert.deepEqual(splitLocale('/pt-BR/dashboard'), { locale: 'pt-BR', path: '/dashboard' })
  assert.deepEqual(splitLocale('/en-GB'), { locale: 'en-GB', path: '/' })
  assert.deepEqual(splitLocale('/pt-BRx/dashboard'), { locale: undefined, path: '/pt-BRx/dashboard' })
  assert.deepEqual(splitLocale('/pt-br/dashboard'), { locale: undefined, path: '/pt-br/dashboard' })
})

test('the address wins over the cookie, the cookie over the browser', () => {
  const all = { pathname: '/en-GB/', cookies: 'a=1; locale=pt-BR', languages: ['pt-BR'] }
  assert.equal(chooseLocale(all), 'en-GB')
  assert.equal(chooseLocale({ ...all, pathname: '/', languages: ['en-GB'] }), 'pt-BR')
  assert.equal(chooseLocale({ ...nothing, languages: ['fr', 'pt-PT', 'en'] }), 'pt-BR')
})

test('unknown values fall back to en-GB', () => {
  assert.equal(chooseLocale(nothing), 'en-GB')
  assert.equal(
    chooseLocale({ ...nothing, cookies: 'locale=xx; notlocale=pt-BR', languages: ['de'] }),
    'en-GB',
  )
})

test('the cookie lasts 365 days on the whole site', () => {
  assert.equal(localeCookie('pt-BR', false), 'locale=pt-BR; Max-Age=31536000; Path=/; SameSite=Lax')
  assert.match(localeCookie('pt-BR', true), /; Secure$/)
})
