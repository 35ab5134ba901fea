import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStore, statementsIn } from './statements.ts'

test('finds SQL statements and fragments in plain strings and templates', () => {
  const text = `
    const a = 'select 1 from clients'
    const b = \`update clients set access_epoch = \${epoch} where client_id = $1\`
    const c = "insert into groups values ($1)"
    const d = \`
      with k as materialized (select 1) select * from k\`
    const e = 'delete from roles'
    const f = \`\${columns} from clients c join groups g\`
    const g = condition ? 'where client_id = $1' : ''`
  assert.deepEqual(statementsIn('x.ts', text), [2, 3, 4, 5, 7, 8, 9])
})

test('does not take prose, comments, names or user texts for SQL', () => {
  const text = `
    // select * from clients where client_id = 1
    const a = 'select_clients'
    const b = 'Update your profile, then select a group from the list.'
    const c = \`with \${count} of them\`
    const d = { select: 'from', update: 'set' }
    const e = 'no such client'`
  assert.deepEqual(statementsIn('x.ts', text), [])
})

test('recognises a store by its name or by its database folder', () => {
  for (const path of [
    'groups/store.ts',
    'device-records/token-store.ts',
    'payloads/lists/store/keys.ts',
    'ports/identity/people.ts',
    'verify/rows.ts',
    'backup/dump.ts',
  ])
    assert.ok(isStore(path), path)
  for (const path of ['groups/save.ts', 'http/restore.ts', 'payloads/lists/list.ts', 'verifystore/x.ts'])
    assert.ok(!isStore(path), path)
})
