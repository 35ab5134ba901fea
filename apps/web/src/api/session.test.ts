import { shareCalls } from '@custodia/client'
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createSession, type EndedSession, type ExchangedTokens, type Session } from './session.ts'

let clock = 0
let stored: Map<string, string>
let here: Map<string, string>
let refreshes: string[] = []
let answer: () => Promise<ExchangedTokens | undefined>
let ended = 0
let session: Session

const storageOf = (map: Map<string, string>) => ({
  getItem: (key: string) => map.get(key) ?? null,
  setItem: (key: string, value: string) => void map.set(key, value),
  removeItem: (key: string) => void map.delete(key),
})

/** The session as a page knows it that is loaded now, in another tab unless told otherwise. */
const load = (tab = new Map<string, string>()) =>
  createSession(
    {
      storage: storageOf(stored),
      tabStorage: storageOf(tab),
      now: () => clock,
      refresh: (handle) => {
        refreshes.push(handle)
        return answer()
      },
      alone: (task) => task(),
    },
    shareCalls,
  )

beforeEach(() => {
  clock = 0
  stored = new Map()
  here = new Map()
  refreshes = []
  ended = 0
  answer = async () => ({ id_token: `token ${refreshes.length}`, expires_in: 300 })
  session = load(here)
  session.whenEnded(() => void ended++)
})

const signIn = (client = 'acme', into = session, refresh_token = 'handle') => {
  into.chooseClient(client)
  into.keep({ id_token: 'first', refresh_token, expires_in: 300 })
}
/** As after a reload, with the session of `client` kept. */
const reload = (kept: Record<string, string> = { client: 'acme', handle: 'handle' }) => {
  stored.set('custodia.session', JSON.stringify(kept))
  session = load(here)
  session.whenEnded(() => void ended++)
}

test('the id token stays out of the storage', () => {
  signIn()
  assert.deepEqual([...stored], [['custodia.session', '{"client":"acme","handle":"handle"}']])
  assert.deepEqual([...here], [])
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
  reload()
  assert.equal(session.isSignedIn(), true)
  assert.equal(await session.token(), 'token 1')
})

test('calls at the same time share one refresh', async () => {
  reload()
  assert.deepEqual(await Promise.all([session.token(), session.token(), session.token()]), [
    'token 1',
    'token 1',
    'token 1',
  ])
  assert.equal(refreshes.length, 1)
})

test('a refused refresh clears everything', async () => {
  signIn()
  clock = 400_000
  answer = async () => undefined
  assert.equal(await session.token(), undefined)
  assert.equal(ended, 1)
  assert.equal(session.isSignedIn(), false)
  assert.deepEqual([...stored, ...here], [])
})

test('support mode stores reference and client, and calls are no longer those of an admin', () => {
  signIn('admin')
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
  reload()
  assert.equal(session.isAdmin(), false)
  reload({ client: 'admin', handle: 'handle', support: 'reference' })
  assert.equal(session.isAdmin(), false)
  reload({ client: 'admin', handle: 'handle' })
  assert.equal(session.isAdmin(), true)
})

test('support mode that is not on cannot be ended', () => {
  signIn()
  assert.throws(() => session.endSupport(), /not on/)
  assert.equal(session.client(), 'acme')
})

test('support mode survives a reload, and a token is renewed in it', async () => {
  reload({ client: 'acme', handle: 'handle', support: 'reference' })
  assert.equal(await session.token(), 'token 1')
  assert.equal(session.supportReference(), 'reference')
})

test('a session that ends in support mode leaves nothing behind', () => {
  signIn('admin')
  session.beginSupport('reference', 'acme')
  session.end({ isWished: true })
  assert.deepEqual(
    [session.client(), session.supportReference(), session.isSignedIn()],
    ['', undefined, false],
  )
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
  signIn('admin')
  session.beginSupport('01JABCDEFGHJKMNPQRSTVWXYZ0', 'acme')
  session.end()
  assert.deepEqual(
    ends.map(({ mayReturn }) => mayReturn),
    [true, false, false],
  )
})

test('a tab that is opened later is signed in, in support mode too', async () => {
  signIn('admin')
  session.beginSupport('reference', 'acme')
  const tab = load()
  assert.deepEqual(
    [tab.isSignedIn(), tab.client(), tab.supportReference(), tab.homeClient()],
    [true, 'acme', 'reference', 'admin'],
  )
  assert.equal(await tab.token(), 'token 1')
})

test('who signs out in one tab is signed out in all, and no tab goes back to where it was', async () => {
  signIn()
  const tab = load()
  const ends: EndedSession[] = []
  tab.whenEnded((each) => void ends.push(each))
  await tab.token()
  session.end({ isWished: true })
  tab.look()
  tab.look()
  assert.deepEqual(ends, [{ mayReturn: false }])
  assert.deepEqual([tab.isSignedIn(), await tab.token()], [false, undefined])
  assert.equal(load().isSignedIn(), false)
})

test('a session that one tab loses is lost for all, and each may return', async () => {
  signIn()
  const tab = load()
  const ends: EndedSession[] = []
  tab.whenEnded((each) => void ends.push(each))
  session.end()
  tab.look()
  assert.deepEqual(ends, [{ mayReturn: true }])
})

test('what another tab changes is not mixed into this one, which is told to begin anew', async () => {
  signIn('admin')
  const tab = load()
  const told: unknown[] = []
  tab.whenReplaced((present) => void told.push(present))
  session.beginSupport('reference', 'acme')
  assert.deepEqual([tab.client(), tab.supportReference()], ['admin', undefined])
  tab.look()
  assert.deepEqual(told, [{ client: 'acme', handle: 'handle', support: 'reference' }])
  assert.deepEqual([tab.client(), tab.supportReference()], ['admin', undefined])
  // Nor does the tab write over it, or end what it does not know.
  tab.beginSupport('another', 'globex')
  tab.end()
  assert.equal(load().supportReference(), 'reference')
  assert.equal(tab.isSignedIn(), true)
})

test('a tab at the sign-in is signed in when another tab is', async () => {
  const tab = load()
  let told = 0
  tab.whenReplaced(() => void told++)
  signIn()
  tab.look()
  assert.deepEqual([told, tab.isSignedIn(), tab.client()], [1, true, 'acme'])
})

test('two tabs may sign in at two accounts at a time; the last one counts for both', async () => {
  const tab = load()
  session.chooseClient('acme')
  tab.chooseClient('globex')
  session.keep({ id_token: 'alice', refresh_token: 'hers', expires_in: 300 })
  tab.keep({ id_token: 'gina', refresh_token: 'ours', expires_in: 300 })
  assert.deepEqual([session.client(), tab.client(), load().client()], ['acme', 'globex', 'globex'])
})

test('an answer that comes after the sign-out brings no token back', async () => {
  reload()
  let give: (tokens: ExchangedTokens) => void = () => {}
  answer = () => new Promise((resolve) => (give = resolve))
  const asked = session.token()
  session.end({ isWished: true })
  give({ id_token: 'late', expires_in: 300 })
  assert.equal(await asked, undefined)
})

test('what is no session in the storage counts as none', () => {
  for (const text of ['', 'x', '{', '{}', '{"client":1,"handle":"h"}', 'null']) {
    stored.set('custodia.session', text)
    assert.equal(load().isSignedIn(), false, text)
  }
})
