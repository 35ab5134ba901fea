import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { transitionRows } from '@custodia/domain'
import { getServiceCode, STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import { testDatabase } from '../testing/database.ts'

const database = await testDatabase()
after(() => database.drop())

const rows = async (text: string): Promise<unknown[]> => (await database.db.owner.query(text)).rows

test('the codes of states, types and services match the database', async () => {
  const states = Object.entries(STATE_CODES).map(([name, code]) => ({ code, name }))
  assert.deepEqual(await rows('select code, name from payload_states order by code'), states)
  const types = Object.entries(TYPE_CODES).map(([name, code]) => ({
    code,
    name,
    service: getServiceCode(name as keyof typeof TYPE_CODES),
  }))
  assert.deepEqual(await rows('select code, name, service from payload_types order by code'), types)
})

test('the database allows exactly the state transitions of the domain', async () => {
  const stored = await rows(
    `select f.name as from_state, t.name as to_state from payload_transitions
     join payload_states f on f.code = from_state join payload_states t on t.code = to_state
     order by f.name collate "C", t.name collate "C"`,
  )
  assert.deepEqual(
    stored,
    transitionRows().filter(({ from_state }) => from_state !== null),
  )
})

test('no index of payloads has a column that each step of a payload changes', async () => {
  const columns = (await rows(
    `select distinct a.attname as name from pg_index i join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
       and d.refobjid = i.indrelid
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
     where i.indrelid = 'payloads'::regclass`,
  )) as { name: string }[]
  const names = new Set(columns.map(({ name }) => name))
  assert.ok(names.has('payload_time') && names.has('failure'), 'keys and conditions')
  for (const name of ['state', 'uploaded_at', 'processed_at', 'updated_at']) assert.ok(!names.has(name), name)
})
