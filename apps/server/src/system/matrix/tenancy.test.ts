import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { LONG } from '../../testing/long.ts'
import { everyCall } from './calls.test-support.ts'
import { type Cell, GOLDEN, runMatrix } from './run.test-support.ts'

/** Conditions on the tenant, as the store functions write them: the table they name, if any, and the parameter. */
const PREDICATE = /\b(?:(\w+)\.)?client_id = (\$\d+)(?:::int)?(?!\w)/g

/**
 * Tables that are read before the tenant is known, or that tell it, and how a statement calls them: no row-level security
 * stands behind their conditions.
 */
const WITHOUT_TENANT =
  /\b(?:from|join|update|into) (clients|client_keys|data_addresses|device_tokens|number_verifications|portal_sessions)\b(?: (?:as )?(?!(?:cross|for|join|left|on|order|returning|set|using|where)\b)(\w+))?/g

/**
 * Row-level security stands alone: every statement that the server sends loses its conditions on the tenant of the tables
 * that have it, on the way to the database, and the matrix is the same. Without row-level security it is not, so the test can fail.
 */
describe('queries without tenant conditions', () => {
  const { query } = pg.Client.prototype
  const stripped = new Set<string>()

  before(() => {
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [first, ...rest] = args
      if (typeof first === 'string') return call(this, [strip(first), ...rest])
      const config = first as { text?: string }
      if (typeof config?.text !== 'string') return call(this, args)
      return call(this, [Object.assign(config, { text: strip(config.text) }), ...rest])
    } as typeof query
  })
  after(() => {
    pg.Client.prototype.query = query
  })
  const call = (client: pg.Client, args: unknown[]) => Reflect.apply(query, client, args) as never
  function strip(text: string): string {
    const without = withoutTenant(text)
    if (without !== text) stripped.add(text)
    return without
  }

  it('produce the same access matrix under row-level security', async () => {
    // The other targets change nothing across tenants; they are asked in `npm run test:long`.
    const { drawn } = await runMatrix(
      undefined,
      everyCall().filter(({ target }) => LONG || target === 'other client'),
    )
    assert.ok(stripped.size > 30, `only ${stripped.size} statements had a condition`)
    const golden = blocksOf(await readFile(GOLDEN, 'utf8'))
    const blocks = blocksOf(drawn)
    assert.ok(blocks.size > 50, `${blocks.size} targets`)
    for (const [target, answers] of blocks) assert.equal(answers, golden.get(target), target)
  })

  it('expose data of another client when row-level security is off', async () => {
    const { cells } = await runMatrix(
      async ({ ctx }) => {
        for (const table of ['payloads', 'groups', 'devices'])
          await ctx.db.owner.query(`alter table ${table} disable row level security`)
      },
      everyCall().filter(({ name }) => name === 'readPayloadAudit'),
    )
    const foreign = ({ call: { target }, principal, status }: Cell) =>
      principal === 'administrator' && target === 'other client' && status === 200
    assert.ok(cells.some(foreign), 'a recording of another client would be found')
  })
})

/** The answers of each target of each call, as a golden file draws them. */
function blocksOf(drawn: string): Map<string, string> {
  const blocks = new Map<string, string>()
  let [call, target] = ['', '']
  for (const line of drawn.split('\n').slice(2)) {
    if (/^\S/.test(line)) call = line
    else if (/^ {2}\S/.test(line)) target = `${call}\n${line}`
    else if (line !== '') blocks.set(target, `${blocks.get(target) ?? ''}${line}\n`)
  }
  return blocks
}

/** A statement less its conditions on the tenant. Beside a table of `WITHOUT_TENANT`, one that names no table is kept. */
function withoutTenant(text: string): string {
  const kept = new Set(
    [...text.matchAll(WITHOUT_TENANT)].flatMap(([, table, alias]) => [table, alias ?? table]),
  )
  return text.replace(PREDICATE, (condition, table: string | undefined, parameter: string) =>
    kept.size > 0 && (table === undefined || kept.has(table)) ? condition : `(${parameter}::int is not null)`,
  )
}
