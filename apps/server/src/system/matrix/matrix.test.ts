import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import {
  getActions,
  api,
  type Endpoint,
  type EndpointName,
  logSentence,
  SUPPORT_ACTIONS,
} from '@custodia/contract'
import pg from 'pg'
import { testIssuer } from '../../testing/issuer.ts'
import { testServer, type TestServer } from '../../testing/server.ts'
import { APP_ORIGIN, type Call, everyCall, READS_BY_POST } from './calls.test-support.ts'
import { drawnDeliveries, type Outcome, runDeliveries } from './deliveries.test-support.ts'
import { type Principal, principals } from './principals.test-support.ts'
import type { Target } from './references.test-support.ts'
import { commentOnTargets, makeTargets, restoreTargets, sealTargets } from './targets.test-support.ts'

describe('the access matrix', () => {
  let cells: readonly Cell[]
  let deliveries: Matrix['deliveries']
  let logged: readonly string[]
  let drawn: string
  let unstrip = () => {}
  before(async () => {
    unstrip = stripStatements()
    const matrix = await runMatrix()
    cells = matrix.cells
    deliveries = matrix.deliveries
    logged = matrix.logged
    drawn = matrix.drawn
  })
  after(() => unstrip())

  it('has a line for every call, and matches the reviewed file', async () => {
    assert.deepEqual([...new Set(cells.map(({ call }) => call.name))].toSorted(), Object.keys(api).toSorted())
    if (process.env.UPDATE_MATRIX) await writeFile(GOLDEN, drawn)
    assert.equal(drawn, await readFile(GOLDEN, 'utf8'), 'review the change, then run with UPDATE_MATRIX=1')
  })

  it('answers every call without a server error', () => {
    assert.deepEqual(
      cells
        .filter(({ status }) => status >= 500)
        .map(({ call, principal }) => `${principal}: ${call.method} ${call.url}`),
      [],
    )
  })

  it('leaves only entries in the audit log that it has a sentence for', () => {
    assert.ok(logged.length > 100, `${logged.length} actions`)
    assert.deepEqual(
      logged.filter((action) => logSentence(action) === undefined),
      [],
    )
  })

  it('requires valid credentials', () => {
    for (const { call, principal, status } of cells) {
      const { authentication } = api[call.name as EndpointName] as Endpoint
      const isStranger =
        ['anonymous', 'garbage', 'expired'].includes(principal) ||
        (principal === 'device' && authentication === 'portal') ||
        (principal !== 'device' && authentication === 'device')
      if (authentication === 'none' || authentication === 'address' || !isStranger) continue
      assert.equal(status, 401, `${principal}: ${call.method} ${call.url}`)
    }
  })

  it('denies access to data of another client, by row-level security alone', () => {
    assert.ok(stripped.size > 30, `only ${stripped.size} statements lost their tenant condition`)
    const clientsOwn = new Set([
      'administrator',
      'read-only',
      'other group',
      'other type',
      'support approved',
      'support administrator',
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

  it('rejects a transfer of payloads that the caller may not download', () => {
    const answers = cells
      .filter(({ call, principal }) => principal === 'transfers alone' && call.target !== 'other client')
      .filter(({ call }) => ['createTransferConfig', 'updateTransferConfig'].includes(call.name))
      .filter(({ status }) => status !== 404)
      .map(({ call, status, body }) => `${call.name} ${call.target} ${status} ${codeIn(body)}`)
    assert.deepEqual(answers, [
      'createTransferConfig own 409 already_exists',
      'createTransferConfig missing 403 escalation',
      'updateTransferConfig own 403 escalation',
    ])
  })

  it('leaves out what the role of a transfer config lost, lists it on the run, and raises an alert', () => {
    const ofLoss = Map.groupBy(deliveries, ({ lost }) => lost)
    assert.ok(ofLoss.size > 3, `${ofLoss.size} losses`)
    for (const [lost, outcomes] of ofLoss) {
      const own = outcomes.filter(({ target }) => target !== 'other client')
      const isWhole = lost === 'nothing'
      assert.equal(
        own.every(({ isTaken }) => isTaken),
        isWhole,
        lost,
      )
      assert.ok(
        own.every(({ isTaken, left_out }) => isTaken || left_out.length > 0),
        `${lost} is not listed`,
      )
      assert.ok(
        outcomes.every(({ isAlerted }) => isAlerted !== isWhole),
        lost,
      )
      assert.ok(!outcomes.some(({ target, isTaken }) => isTaken && target === 'other client'), lost)
    }
  })

  it('refuses every call that its row does not open to people who are limited to legal matters', () => {
    const own = cells.filter(({ principal }) => principal === 'legal matter')
    const answered = own.filter(({ call, status }) => {
      const { authentication, matters } = api[call.name as EndpointName] as Endpoint
      return authentication === 'portal' && !matters && status !== 403 && status !== 404
    })
    assert.deepEqual(
      answered.map(({ call, status }) => `${call.name} ${status}`),
      [],
    )
    const reads = own.filter(({ call, status }) => call.name === 'readPayload' && status < 300)
    assert.deepEqual(reads, [])
  })

  it('refuses every call in support mode that its row does not open, whatever role was approved', () => {
    const answered = cells
      .filter(({ call, principal }) => {
        const { authentication, support } = api[call.name as EndpointName] as Endpoint
        return principal === 'support administrator' && authentication === 'portal' && !support
      })
      .map(({ call, status, body }) => {
        const { portal } = api[call.name as EndpointName] as Endpoint
        const expected = portal === 'internal' ? '404 not_found' : '403 not_permitted'
        return { call, answer: `${status} ${(JSON.parse(body) as { code?: string }).code}`, expected }
      })
    assert.ok(answered.length > 100, `${answered.length} calls`)
    assert.deepEqual(
      answered
        .filter(({ answer, expected }) => answer !== expected)
        .map(({ call, answer }) => `${call.method} ${call.url} ${answer}`),
      [],
    )
  })

  it('opens to support what the approved role reads, and few writes', () => {
    const open = (Object.entries(api) as [EndpointName, Endpoint][]).filter(([, { support }]) => support)
    const isWrite = ([name, { method }]: [EndpointName, Endpoint]) =>
      method !== 'GET' && !READS_BY_POST.has(name)
    assert.deepEqual(
      open
        .filter(isWrite)
        .map(([name]) => name)
        .toSorted(),
      [
        'changeDeviceUsers',
        'createDeviceUser',
        'dismissAlerts',
        'reportPlay',
        'saveGroup',
        'saveTag',
        'updateDeviceUser',
      ],
    )
    assert.deepEqual(
      (Object.entries(api) as [EndpointName, Endpoint][])
        .filter(([, row]) => row.authentication === 'portal' && row.portal !== 'internal')
        .filter(([, row]) => row.method === 'GET' && !row.support)
        .map(([name]) => name)
        .toSorted(),
      READS_CLOSED_TO_SUPPORT,
    )
    const answered = new Set(
      cells
        .filter(({ principal, status }) => principal === 'support administrator' && status < 300)
        .map(({ call }) => call.name),
    )
    for (const name of ['saveGroup', 'saveTag', 'createDeviceUser', 'updateDeviceUser', 'dismissAlerts'])
      assert.ok(answered.has(name), name)
  })

  it('decides for support by row as by action', () => {
    const rows = Object.values(api) as Endpoint[]
    for (const row of rows)
      for (const action of getActions({ action: row.action }))
        assert.equal(row.support ?? false, SUPPORT_ACTIONS.has(action), `${row.path} ${action}`)
    const powers = rows.flatMap((row) => (row.support ? (row.powers ?? []) : []))
    assert.deepEqual(
      powers.filter((power) => SUPPORT_ACTIONS.has(power)),
      [],
    )
  })

  it('shows the internal area only to the provider', () => {
    for (const { call, principal, status } of cells) {
      const { authentication, portal } = api[call.name as EndpointName] as Endpoint
      if (portal !== 'internal' || authentication !== 'portal' || principal === 'provider') continue
      assert.ok([401, 403, 404].includes(status), `${principal}: ${call.method} ${call.url} ${status}`)
    }
  })

  it('refuses acts on records that the caller may only read as not permitted, not as missing', () => {
    const acts = cells.filter(
      ({ call, principal }) =>
        principal === READER &&
        call.target === 'own' &&
        call.changes &&
        (api[call.name as EndpointName] as Endpoint).portal !== 'internal' &&
        !ANSWERED_AS_MISSING.has(call.name),
    )
    assert.ok(acts.filter(({ status }) => status === 403).length > 20)
    assert.deepEqual(
      acts
        .filter(({ status, body }) => status === 404 || /NoMatchingRecord|"not_found"/.test(body))
        .map(({ call, body }) => `${call.name} ${body}`),
      [],
    )
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

/** Reads everything, and acts in another group only. The golden file leaves it out. */
const READER = 'acts elsewhere'
/** Acts on one's own marks, on conversations with nothing to mark, and with references that do not exist. */
const ANSWERED_AS_MISSING = new Set([
  'withdrawMarks',
  'markConversations',
  'deleteExport',
  'decideDeviceHolders',
])

const codeIn = (body: string): string | undefined => (JSON.parse(body) as { code?: string }).code

/** What concerns the client's people alone, supervises support, or takes records out. */
const READS_CLOSED_TO_SUPPORT: EndpointName[] = [
  'listDataRequests',
  'listExports',
  'listRecertifications',
  'listRecertifiedPeople',
  'listSupportAccess',
  'readAccessReport',
  'readAlertSubscription',
  'readDataRequest',
  'readDataRequestReport',
  'readExportPart',
  'readRecertification',
  'readRecertificationReport',
  'readSupportAccess',
  'readSupportReport',
  'readSupportSession',
]

/** Saves of things by a name that the caller chooses: the same name in another client is another thing. */
const MAKES = new Set([
  'saveGroup',
  // To a person who has not signed in yet.
  'savePersonRoles',
  'reviewPersonRoles',
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
  'reviewTransferConfig',
  'testClientAppToken',
])

const GOLDEN = new URL('matrix.golden.txt', import.meta.url)

/** What one call answered one principal: its status, and for batches what became of the first item. */
interface Cell {
  call: Call
  principal: string
  status: number
  text: string
  /** Without what differs between two equal answers. */
  body: string
}

interface Matrix {
  cells: readonly Cell[]
  /** What runs of a transfer config deliver once its role lost rights. */
  deliveries: readonly Outcome[]
  /** Every action that the audit log names. */
  logged: readonly string[]
  /** The cells as the golden file draws them. */
  drawn: string
}

/** Principals that send a call at once, unless it changes targets. */
const PARALLEL = 5

/** Sends every call as every principal against every target, on a server of their own. */
async function runMatrix(): Promise<Matrix> {
  const issuer = await testIssuer()
  const server = await testServer({
    // Permitted names need no lookup.
    EGRESS_ALLOW: `${issuer.issuer},${APP_ORIGIN}`,
    RATE_PORTAL: 'off',
    RATE_DEVICE: 'off',
    RATE_DEVICE_ITEMS: 'off',
    RATE_DEVICE_REPORTS: 'off',
    RATE_PUBLIC: 'off',
  })
  try {
    await makeTargets(server.ctx.db, server.ctx.now())
    await commentOnTargets(server.ctx)
    await sealTargets(server.ctx)
    const everybody = await principals(server, issuer)
    const cells: Cell[] = []
    for (const call of everyCall()) {
      // Row-level security alone must hide what another client has.
      isStripping = call.target === 'other client'
      const atOnce = call.changes ? 1 : PARALLEL
      for (let i = 0; i < everybody.length; i += atOnce) {
        const some = everybody.slice(i, i + atOnce)
        const answers = await Promise.all(some.map((principal) => ask(server, call, principal)))
        cells.push(...answers)
        if (call.changes && answers.some(({ status }) => status < 400)) await restoreTargets(server.ctx.db)
      }
      isStripping = false
    }
    const deliveries = await runDeliveries(server)
    const entries = await server.sql<{ action: string }>(
      'select action from portal_activities union select action from device_activities',
    )
    // Apart from those of the targets themselves.
    const logged = entries.map(({ action }) => action).filter((action) => action !== 'matrix')
    const isDrawn = (name: string) => name !== READER
    const shown = cells.filter(({ principal }) => isDrawn(principal))
    return {
      cells,
      deliveries,
      logged,
      drawn: drawn(
        shown,
        everybody.filter(({ name }) => isDrawn(name)),
        deliveries,
      ),
    }
  } finally {
    await server.close()
    await issuer.close()
  }
}

async function ask(server: TestServer, call: Call, { name, ...principal }: Principal): Promise<Cell> {
  const authorization = await principal.authorization()
  const answer = await server.app.inject({
    method: call.method,
    url: call.url,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.body === undefined ? {} : { payload: JSON.stringify(call.body) }),
  })
  const body = answer.body.replace(/"request_id":"[^"]*"/, '"request_id":""')
  return { call, principal: name, status: answer.statusCode, text: inWords(answer.statusCode, body), body }
}

function inWords(status: number, body: string): string {
  if (status >= 300 || !body.startsWith('{')) return String(status)
  const answer = JSON.parse(body) as Record<string, unknown>
  const [batch] = Object.values(answer).filter(Array.isArray) as { status?: string }[][]
  const outcome = batch?.[0]?.status ?? answer.status
  return typeof outcome === 'string' ? `${status} ${outcome}` : String(status)
}

/** A block per call: a line per target, a column per principal. */
function drawn(
  cells: readonly Cell[],
  everybody: readonly Principal[],
  deliveries: readonly Outcome[],
): string {
  const lines = [
    '# Who gets what. A line per call and target, a column per principal. Made by matrix.test.ts; a change is a change of rights.',
    '',
  ]
  const groups = Map.groupBy(cells, ({ call }) => call.name)
  for (const [name, ofCall] of groups) {
    const { method, portal, path } = api[name as EndpointName] as Endpoint
    lines.push(`${name}  ${method} ${portal} ${path}`)
    for (const [target, ofTarget] of Map.groupBy(ofCall, ({ call }) => call.target)) {
      const bySameAnswer = Map.groupBy(ofTarget, ({ text }) => text)
      lines.push(`  ${target}`)
      for (const [text, some] of [...bySameAnswer].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const who = some.map(({ principal }) => principal)
        lines.push(`    ${text.padEnd(22)} ${who.length === everybody.length ? 'everybody' : who.join(', ')}`)
      }
    }
  }
  lines.push(...drawnDeliveries(deliveries))
  return `${lines.join('\n')}\n`
}

/** Conditions on the tenant, as the store functions write them: the table they name, if any, and the parameter. */
const PREDICATE = /\b(?:(\w+)\.)?client_id = (\$\d+)(?:::int)?(?!\w)/g

/**
 * Tables that are read before the tenant is known, or that identify it, by statement name. They have no row-level
 * security.
 */
const WITHOUT_TENANT =
  /\b(?:from|join|update|into) (clients|client_keys|data_addresses|device_tokens|number_verifications|portal_sessions)\b(?: (?:as )?(?!(?:cross|for|join|left|on|order|returning|set|using|where)\b)(\w+))?/g

/** Whether statements lose their tenant conditions on the way to the database. */
let isStripping = false
/** Statements that lost one. */
const stripped = new Set<string>()

/** Lets every statement through, without its tenant conditions while `isStripping`. Resolves to the way back. */
function stripStatements(): () => void {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args
    const config = first as { text?: string; name?: string }
    const text = typeof first === 'string' ? first : config?.text
    const without = isStripping && text !== undefined ? withoutTenant(text) : text
    if (text !== undefined && without !== text) {
      stripped.add(text)
      // A prepared statement keeps its text under its name.
      if (typeof first === 'string') args[0] = without
      else Object.assign(config, { text: without, ...(config.name && { name: `${config.name} alone` }) })
    }
    return Reflect.apply(query, this, args) as never
  } as typeof query
  return () => {
    pg.Client.prototype.query = query
  }
}

/**
 * A statement without its tenant conditions. With a table of `WITHOUT_TENANT`, conditions without a table name
 * remain.
 */
function withoutTenant(text: string): string {
  const kept = new Set(
    [...text.matchAll(WITHOUT_TENANT)].flatMap(([, table, alias]) => [table, alias ?? table]),
  )
  return text.replace(PREDICATE, (condition, table: string | undefined, parameter: string) =>
    kept.size > 0 && (table === undefined || kept.has(table)) ? condition : `(${parameter}::int is not null)`,
  )
}
