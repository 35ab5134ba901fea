import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { shareCalls } from '@custodia/client'
import { ACTIONS_KEY, nameOfUser, SESSION_KEY } from './kept-session.ts'
import { createSession, type EndedSession, type ExchangedTokens, type Session } from './session.ts'

let clock = 0
let stored: Map<string, string>
let here: Map<string, string>
let refreshes: string[] = []
let answer: () => Promise<ExchangedTokens | undefined>
let ended = 0
let session: Session

const getStorage = (map: Map<string, string>) => ({
  getItem: (key: string) => map.get(key) ?? null,
  setItem: (key: string, value: string) => void map.set(key, value),
  removeItem: (key: string) => void map.delete(key),
})

/** The session of a freshly loaded page, in another tab by default. */
const load = (tab = new Map<string, string>()) =>
  createSession(
    {
      storage: getStorage(stored),
      tabStorage: getStorage(tab),
      now: () => clock,
      refresh: (handle) => {
        refreshes.push(handle)
        return answer()
      },
      exclusively: (task) => task(),
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
/** A reload with the stored session of `client`. */
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

test('a reload gets a new token with the stored handle', async () => {
  reload()
  assert.equal(session.isSignedIn(), true)
  assert.equal(await session.token(), 'token 1')
})

test('concurrent calls share one refresh', async () => {
  reload()
  assert.deepEqual(await Promise.all([session.token(), session.token(), session.token()]), [
    'token 1',
    'token 1',
    'token 1',
  ])
  assert.equal(refreshes.length, 1)
})

test('a rejected refresh ends the session and clears the storage', async () => {
  signIn()
  // The permissions of the session are stored with its text.
  stored.set(ACTIONS_KEY, JSON.stringify({ session: stored.get(SESSION_KEY), actions: ['payloads:list'] }))
  clock = 400_000
  answer = async () => undefined
  assert.equal(await session.token(), undefined)
  assert.equal(ended, 1)
  assert.equal(session.isSignedIn(), false)
  assert.deepEqual([...stored, ...here], [])
})

test('support mode sets reference and client, and the session no longer counts as admin', () => {
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

test('ending support mode throws when it is not active', () => {
  signIn()
  assert.throws(() => session.endSupport(), /not on/)
  assert.equal(session.client(), 'acme')
})

test('support mode survives a reload and its token is renewed', async () => {
  reload({ client: 'acme', handle: 'handle', support: 'reference' })
  assert.equal(await session.token(), 'token 1')
  assert.equal(session.supportReference(), 'reference')
})

test('ending the session in support mode clears client and support reference', () => {
  signIn('admin')
  session.beginSupport('reference', 'acme')
  session.end({ isRequested: true })
  assert.deepEqual(
    [session.client(), session.supportReference(), session.isSignedIn()],
    ['', undefined, false],
  )
})

test('a network failure fails the call and keeps the session', async () => {
  signIn()
  clock = 400_000
  answer = () => Promise.reject(new TypeError('failed to fetch'))
  await assert.rejects(session.token(), TypeError)
  assert.equal(session.isSignedIn(), true)
  assert.equal(ended, 0)
})

test('a signed-out session has no token and sends no refresh', async () => {
  assert.equal(await session.token(), undefined)
  assert.deepEqual(refreshes, [])
  assert.equal(ended, 0)
})

test('only a lost session may return to its page, not a sign-out or support session', async () => {
  const ends: EndedSession[] = []
  session.whenEnded((each) => void ends.push(each))
  answer = async () => undefined
  signIn()
  clock = 300_000
  await session.token()
  signIn()
  session.end({ isRequested: true })
  signIn('admin')
  session.beginSupport('01JABCDEFGHJKMNPQRSTVWXYZ0', 'acme')
  session.end()
  assert.deepEqual(
    ends.map(({ mayReturn }) => mayReturn),
    [true, false, false],
  )
})

test('a call that is refused while the user signs out leads to no return page', () => {
  signIn()
  const ends: EndedSession[] = []
  session.whenEnded((each) => void ends.push(each))
  session.beginSignOut()
  session.end()
  signIn()
  session.end()
  assert.deepEqual(ends, [
    { isLost: false, mayReturn: false },
    { isLost: true, mayReturn: true },
  ])
})

test('a new tab shares the session, including support mode', async () => {
  signIn('admin')
  session.beginSupport('reference', 'acme')
  const tab = load()
  assert.deepEqual(
    [tab.isSignedIn(), tab.client(), tab.supportReference(), tab.homeClient()],
    [true, 'acme', 'reference', 'admin'],
  )
  assert.equal(await tab.token(), 'token 1')
})

test('signing out in one tab signs out all tabs without a return page', async () => {
  signIn()
  const tab = load()
  const ends: EndedSession[] = []
  tab.whenEnded((each) => void ends.push(each))
  await tab.token()
  session.end({ isRequested: true })
  tab.look()
  tab.look()
  assert.deepEqual(ends, [{ isLost: false, mayReturn: false }])
  assert.deepEqual([tab.isSignedIn(), await tab.token()], [false, undefined])
  assert.equal(load().isSignedIn(), false)
})

test('a session lost in one tab ends in all tabs, and each may return', async () => {
  signIn()
  const tab = load()
  const ends: EndedSession[] = []
  tab.whenEnded((each) => void ends.push(each))
  session.end()
  tab.look()
  assert.deepEqual(ends, [{ isLost: true, mayReturn: true }])
})

test('a tab keeps its own session and is notified when another tab replaces it', async () => {
  signIn('admin')
  const tab = load()
  const result: unknown[] = []
  tab.whenReplaced((present) => void result.push(present))
  session.beginSupport('reference', 'acme')
  assert.deepEqual([tab.client(), tab.supportReference()], ['admin', undefined])
  tab.look()
  assert.deepEqual(result, [{ client: 'acme', handle: 'handle', support: 'reference' }])
  assert.deepEqual([tab.client(), tab.supportReference()], ['admin', undefined])
  // The tab neither overwrites nor ends a session that it does not know.
  tab.beginSupport('another', 'globex')
  tab.end()
  assert.equal(load().supportReference(), 'reference')
  assert.equal(tab.isSignedIn(), true)
})

test('a tab on the sign-in page is signed in when another tab signs in', async () => {
  const tab = load()
  let result = 0
  tab.whenReplaced(() => void result++)
  signIn()
  tab.look()
  assert.deepEqual([result, tab.isSignedIn(), tab.client()], [1, true, 'acme'])
})

test('the last of two sign-ins in different tabs becomes the stored session', async () => {
  const tab = load()
  session.chooseClient('acme')
  tab.chooseClient('globex')
  session.keep({ id_token: 'alice', refresh_token: 'hers', expires_in: 300 })
  tab.keep({ id_token: 'gina', refresh_token: 'ours', expires_in: 300 })
  assert.deepEqual([session.client(), tab.client(), load().client()], ['acme', 'globex', 'globex'])
})

test('a token response that arrives after sign-out is discarded', async () => {
  reload()
  let give: (tokens: ExchangedTokens) => void = () => {}
  answer = () => new Promise((resolve) => (give = resolve))
  const asked = session.token()
  session.end({ isRequested: true })
  give({ id_token: 'late', expires_in: 300 })
  assert.equal(await asked, undefined)
})

test('an invalid stored session counts as signed out', () => {
  for (const text of ['', 'x', '{', '{}', '{"client":1,"handle":"h"}', 'null']) {
    stored.set('custodia.session', text)
    assert.equal(load().isSignedIn(), false, text)
  }
})

test('the page of a session that was lost opens for its own user only, and a link for every user', async () => {
  Object.assign(globalThis, { sessionStorage: getStorage(here), localStorage: getStorage(stored) })
  const { storeDestination, takeDestination } = await import('./sign-in-memory.ts')
  const alice = nameOfUser({ client: 'acme', user_reference: 'alice' })
  const bob = nameOfUser({ client: 'acme', user_reference: 'bob' })
  const landing = (href: string, of: string | null, user: string | Error) => {
    storeDestination(href, of)
    return takeDestination(async () => {
      if (user instanceof Error) throw user
      return user
    })
  }
  const page = '/dashboard/payloads?number=4915'
  assert.equal(await landing(page, alice, alice), page)
  assert.equal(await landing(page, alice, bob), '/dashboard')
  assert.equal(await landing(page, alice, new Error('offline')), '/dashboard')
  assert.equal(await landing(page, null, bob), page)
  assert.equal(await landing('//elsewhere.example', null, bob), '/dashboard')
  assert.equal(await takeDestination(), '/dashboard', 'once')
})
