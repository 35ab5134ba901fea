import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { api, type Endpoint, type EndpointName } from '@custodia/contract'
import { type Cell, GOLDEN, runMatrix } from './run.test-support.ts'
import type { Target } from './targets.test-support.ts'

describe('the access matrix', () => {
  let cells: readonly Cell[]
  let drawn: string
  before(async () => {
    const matrix = await runMatrix()
    cells = matrix.cells
    drawn = matrix.drawn
  })

  it('matches the reviewed file', async () => {
    if (process.env.UPDATE_MATRIX) await writeFile(GOLDEN, drawn)
    assert.equal(drawn, await readFile(GOLDEN, 'utf8'), 'review the change, then run with UPDATE_MATRIX=1')
  })

  it('has a line for every call', () => {
    assert.deepEqual([...new Set(cells.map(({ call }) => call.name))].toSorted(), Object.keys(api).toSorted())
  })

  it('answers every call without a server error', () => {
    assert.deepEqual(
      cells
        .filter(({ status }) => status >= 500)
        .map(({ call, principal }) => `${principal}: ${call.method} ${call.url}`),
      [],
    )
  })

  it('requires valid credentials', () => {
    for (const { call, principal, status } of cells) {
      const { authentication } = api[call.name as EndpointName] as Endpoint
      const isStranger =
        ['nobody', 'garbage', 'expired'].includes(principal) ||
        (principal === 'device' && authentication === 'portal') ||
        (principal !== 'device' && authentication === 'device')
      if (authentication === 'none' || authentication === 'address' || !isStranger) continue
      assert.equal(status, 401, `${principal}: ${call.method} ${call.url}`)
    }
  })

  it('denies access to data of another client', () => {
    const clientsOwn = new Set([
      'administrator',
      'read-only',
      'other group',
      'other type',
      'support approved',
      'client app',
    ])
    for (const { call, principal, status, text } of cells) {
      const { authentication, portal } = api[call.name as EndpointName] as Endpoint
      if (authentication !== 'portal' || portal === 'internal') continue
      const isForeign = clientsOwn.has(principal)
        ? call.target === 'other client'
        : principal === 'other client' && call.target !== 'other client'
      if (!isForeign || status >= 400) continue
      // A batch answers for each reference; a save makes one of the caller's own.
      const isOwn = /^20\d (?:NoMatchingRecord|\d+ in list)$/.test(text) || MAKES.has(call.name)
      assert.ok(isOwn, `${principal}: ${call.method} ${call.url} ${text}`)
    }
  })

  it('denies account-wide calls to a role with all actions in one group', () => {
    for (const { call, principal, status } of cells) {
      const { concerns, before_terms, portal } = api[call.name as EndpointName] as Endpoint
      if (concerns !== 'account' || before_terms || portal === 'internal' || principal !== 'other group')
        continue
      assert.ok([403, 404].includes(status), `${call.method} ${call.url} ${status}`)
    }
  })

  it('shows the internal area only to the provider', () => {
    for (const { call, principal, status } of cells) {
      const { authentication, portal } = api[call.name as EndpointName] as Endpoint
      if (portal !== 'internal' || authentication !== 'portal' || principal === 'provider') continue
      assert.ok([401, 403, 404].includes(status), `${principal}: ${call.method} ${call.url} ${status}`)
    }
  })

  it('gives the same answer for hidden and missing items', () => {
    const answers = new Map(
      cells.map((cell) => [`${cell.call.name} ${cell.principal} ${cell.call.target}`, cell]),
    )
    const hidden: Target[] = ['other client', 'other group', 'other type']
    for (const cell of cells) {
      if (!hidden.includes(cell.call.target) || cell.status !== 404) continue
      const missing = answers.get(`${cell.call.name} ${cell.principal} missing`)
      if (!missing || missing.status !== 404) continue
      assert.equal(cell.body, missing.body, `${cell.principal}: ${cell.call.url}`)
    }
  })
})

/** Saves of things by a name that the caller chooses: the same name in another client is another thing. */
const MAKES = new Set([
  'saveGroup',
  'saveRole',
  'saveTag',
  'createClientApp',
  'createTransferConfig',
  'testTransferTarget',
  'createDeviceUser',
  'reviewGroup',
  'reviewRole',
  'reviewTag',
  'reviewClientApp',
  'testClientAppToken',
])
