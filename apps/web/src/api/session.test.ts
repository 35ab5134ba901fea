import { shareCalls } from '@custodia/client'
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createSession, type EndedSession, type ExchangedTokens, type Session } from './session.ts'

let clock = 0
let stored: Map<string, string>
let refreshes: string[] = []
let answer: () => Promise<ExchangedTokens | undefined>
let ended = 0
let session: Session

beforeEach(() => {
  clock = 0
  stored = new Map()
  refreshes = []
  ended = 0
  answer = async () => ({ id_token: `token ${refreshes.length}`, expires_in: 300 })
  session = createSession(
    {
      storage: {
        getItem: (key) => stored.get(key) ?? null,
        setItem: (key, value) => void stored.set(key, value),
        removeItem: (key) => void stored.delete(key),
      },
      now: () => clock,
      refresh: (handle) => {
        refreshes.push(handle)
        return answer()
      },
      alone: (task) => task(),
    },
    shareCalls,
  )
  session.whenEnded(() => void ended++)
})

const signIn = () => session.keep({ id_token: 'first', refresh_token: 'handle', expires_in: 300 })

test('the id token stays out of the storage', () => {
  signIn()
  assert.deepEqual([...stored.values()], ['handle'])
})

test('a token is used until 5 seconds before it expires', async () => {
  signIn()
  clock = 294_999
  assert.equal(await session.token(), 'first')
  clock = 295_000
  assert.equal(await session.token(), 'token 1')
  assert.deepEqual(refreshes, ['handle'])
})

test('after a reload the token comes back from the handle', async () => {
  stored.set('custodia.refresh', 'handle')
  assert.equal(session.isSignedIn(), true)
  assert.equal(await session.token(), 'token 1')
})

test('calls at the same time share one refresh', async () => {
  stored.set('custodia.refresh', 'handle')
  assert.deepEqual(await Promise.all([session.token(), session.token(), session.token()]), [
    'token 1',
    'token 1',
    'token 1',
  ])
  assert.equal(refreshes.length, 1)
})

test('a refused refresh clears everything but the chosen client', async () => {
  signIn()
  session.chooseClient('acme')
  clock = 400_000
  answer = async () => undefined
  assert.equal(await session.token(), undefined)
  assert.equal(ended, 1)
  assert.equal(session.isSignedIn(), false)
  assert.deepEqual([...stored], [['custodia.client', 'acme']])
})

test('support mode stores reference and client, and calls are no longer those of an admin', () => {
  signIn()
  session.chooseClient('admin')
  assert.equal(session.isAdmin(), true)
  session.beginSupport('reference', 'acme')
  assert.deepEqual(
    [session.supportReference(), session.client(), session.homeClient(), session.isAdmin()],
    ['reference', 'acme', 'admin', false],
  )
  session.endSupport()
  assert.deepEqual(
    [session.supportReference(), session.client(), session.homeClient(), session.isAdmin()],
    [undefined, 'admin', 'admin', true],
  )
})

test('only the client admin without support reference counts as admin', () => {
  session.chooseClient('acme')
  assert.equal(session.isAdmin(), false)
  session.beginSupport('reference', 'admin')
  assert.equal(session.isAdmin(), false)
})

test('support mode that is not on cannot be ended', () => {
  signIn()
  session.chooseClient('acme')
  assert.throws(() => session.endSupport(), /not on/)
  assert.equal(session.client(), 'acme')
})

test('support mode survives a reload, and a token is renewed in it', async () => {
  stored.set('custodia.refresh', 'handle')
  session.beginSupport('reference', 'acme')
  assert.equal(await session.token(), 'token 1')
  assert.equal(session.supportReference(), 'reference')
})

test('choosing an account leaves what is left of a support mode behind', () => {
  session.beginSupport('reference', 'acme')
  session.chooseClient('globex')
  assert.deepEqual([session.supportReference(), session.homeClient()], [undefined, 'globex'])
})

test('a session that ends in support mode leaves the provider as the chosen client', () => {
  signIn()
  session.beginSupport('reference', 'acme')
  session.end()
  assert.deepEqual([...stored], [['custodia.client', 'admin']])
})

test('a network that is down fails the call and keeps the session', async () => {
  signIn()
  clock = 400_000
  answer = () => Promise.reject(new TypeError('failed to fetch'))
  await assert.rejects(session.token(), TypeError)
  assert.equal(session.isSignedIn(), true)
  assert.equal(ended, 0)
})

test('signed out, there is no token and nothing to ask', async () => {
  assert.equal(await session.token(), undefined)
  assert.deepEqual(refreshes, [])
  assert.equal(ended, 0)
})

test('whoever loses the session may return, not who signs out or was in support mode', async () => {
  const ends: EndedSession[] = []
  session.whenEnded((each) => void ends.push(each))
  answer = async () => undefined
  signIn()
  clock = 300_000
  await session.token()
  signIn()
  session.end({ isWished: true })
  signIn()
  session.beginSupport('01JABCDEFGHJKMNPQRSTVWXYZ0', 'acme')
  session.end()
  assert.deepEqual(
    ends.map(({ mayReturn }) => mayReturn),
    [true, false, false],
  )
})
