import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PortalActivityQuery } from '@custodia/contract'
import { changesOnly, changingActions, entriesOfPlay, prettyParameters } from './log-entries.ts'

const entries = ['e', 'd', 'c', 'b', 'a'].map((log_id) => ({ log_id }))
const of = (first: string, ...plays: string[]) =>
  entriesOfPlay(
    first,
    entries,
    plays.map((log_id) => ({ log_id })),
  )
    .map(({ log_id }) => log_id)
    .join('')

test('a playback ends at the next playback or at the last entry', () => {
  assert.equal(of('b', 'd', 'b'), 'bc')
  assert.equal(of('d', 'd', 'b'), 'de')
  assert.equal(of('x', 'd', 'b'), '')
  assert.equal(of('c', 'b'), 'cde', 'an entry in the middle of a play shows what follows')
})

test('JSON is indented', () => {
  assert.equal(prettyParameters('{"query":{"limit":5}}'), '{\n  "query": {\n    "limit": 5\n  }\n}')
})

test('other text stays unchanged', () => {
  assert.equal(prettyParameters('{"cut":'), '{"cut":')
  assert.equal(prettyParameters(''), '')
})

test('the list includes actions that change data and no read or test actions', () => {
  const actions = changingActions()
  for (const action of [
    'groups:update',
    'roles:delete',
    'supportaccess:decide',
    'alerts:clear',
    'receipts:confirm',
  ])
    assert.ok(actions.includes(action), action)
  for (const action of [
    'groups:list',
    'payloads:play',
    'roles:review',
    'account.apps:test',
    'session:sign_out',
  ])
    assert.equal(actions.includes(action), false, action)
})

test('the server accepts the changes view, and selected actions override it', () => {
  const { actions } = changesOnly({ changes: true })
  assert.ok(PortalActivityQuery.safeParse({ actions }).success)
  assert.deepEqual(changesOnly({ changes: true, actions: ['roles:*'] }), {})
  assert.deepEqual(changesOnly({}), {})
})
