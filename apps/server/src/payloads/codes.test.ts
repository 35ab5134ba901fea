import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { transitionRows } from '@custodia/domain'
import { testDatabase } from '../testing/database.ts'
import { serviceCodeOf, STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'

const database = await testDatabase()
after(() => database.drop())

const rows = async (text: string): Promise<unknown[]> => (await database.db.owner.query(text)).rows

test('the codes of states, types and services match the database', async () => {
  const states = Object.entries(STATE_CODES).map(([name, code]) => ({ code, name }))
  assert.deepEqual(await rows('select code, name from payload_states order by code'), states)
  const types = Object.entries(TYPE_CODES).map(([name, code]) => ({
    code,
    name,
    service: serviceCodeOf(name as keyof typeof TYPE_CODES),
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
