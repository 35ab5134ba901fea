import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClientFigures, statisticsOf, type TableFacts } from './figures.ts'

const table = (name: string, facts: Partial<TableFacts> = {}): TableFacts => ({
  name,
  bytes: 2_500_000,
  estimate: 10,
  is_tenant: true,
  is_readable: true,
  ...facts,
})
const client = (name: string, rows: Record<string, number>, updated_at = 100): ClientFigures => ({
  client: name,
  rows,
  objects: { count: 0, bytes: 0 },
  portal_users: 0,
  updated_at,
})
const made = (tables: TableFacts[], clients: ClientFigures[], common: Record<string, number> = {}) =>
  statisticsOf({ tables, clients, common, bucket: 'objects', now: 200 })

test('small tables are counted, and large or unreadable ones are estimated', () => {
  const { tables } = made(
    [
      table('groups'),
      table('payloads', { estimate: 3_000_000 }),
      table('clients', { is_tenant: false }),
      table('oidc_items', { is_tenant: false, estimate: 200_000 }),
      table('hidden', { is_readable: false, estimate: 7 }),
    ],
    [client('acme', { groups: 3, payloads: 9 }), client('globex', { groups: 4, payloads: 1 })],
    { clients: 2 },
  )
  assert.deepEqual(
    tables.map(({ name, count, size_mb, clients }) => [name, count, size_mb, clients]),
    [
      ['groups', 7, 2.5, []],
      ['payloads', 3_000_000, 2.5, []],
      ['clients', 2, 2.5, []],
      ['oidc_items', 200_000, 2.5, []],
      ['hidden', 7, 2.5, []],
    ],
  )
})

test('entities are counted per client, and are as old as the oldest count', () => {
  const { entities } = made(
    [table('devices')],
    [client('globex', { devices: 2 }, 50), client('acme', { devices: 1 }), client('new', { devices: 0 })],
  )
  const devices = entities.find(({ entity }) => entity === 'Device')
  assert.deepEqual(devices, {
    entity: 'Device',
    count: 3,
    size_mb: 2.5,
    clients: [
      { client: 'acme', count: 1, size_mb: null },
      { client: 'globex', count: 2, size_mb: null },
    ],
    updated_at: 50,
  })
})

test('an installation without clients has zero for all figures', () => {
  const { entities, buckets, log_groups } = made([], [])
  for (const { count, size_mb } of [...entities, ...buckets, ...log_groups])
    assert.deepEqual([count, size_mb], [0, 0])
})
