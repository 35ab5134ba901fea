import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSavedViews, renameView, saveView, VIEW_NAME_LENGTH } from './saved-views.ts'

test('a saved view keeps the filters and not the open preview', () => {
  const { views, saved } = saveView([], '  São Paulo, late  ', { late: true, preview: 'X', view: 'all' })
  assert.deepEqual(saved, { id: 'my-sao-paulo-late', name: 'São Paulo, late', search: { late: true } })
  assert.deepEqual(views, [saved])
})

test('saving under the same name replaces the view', () => {
  const first = saveView([], 'Mine', { late: true }).views
  const second = saveView(first, 'mine', { states: ['Failed'] }).views
  assert.deepEqual(
    second.map((view) => view.search),
    [{ states: ['Failed'] }],
  )
})

test('a renamed view keeps its place, filters and words; the name of another view is refused', () => {
  const first = saveView([], 'Mine', { late: true }, { words: 'wire', new_from: 2 }).views
  const { views } = saveView(first, 'Other', { states: ['Failed'] })
  const renamed = renameView(views, 'my-mine', '  Late calls ')
  assert.deepEqual(renamed, {
    views: [{ ...first[0], id: 'my-late-calls', name: 'Late calls' }, views[1]],
    id: 'my-late-calls',
  })
  assert.equal(renameView(views, 'my-mine', 'other'), undefined)
  assert.equal(renameView(views, 'my-mine', 'MINE')?.views[0]?.name, 'MINE')
})

test('stored views are read back, and invalid ones are dropped', () => {
  const { views } = saveView([], 'Mine', { groups: ['A', 'B'], from: '-7d', late: true })
  assert.deepEqual(readSavedViews(JSON.parse(JSON.stringify(views))), views)
  assert.deepEqual(readSavedViews([null, 7, { id: 'a' }, { id: 1, name: 'x', search: {} }]), [])
  assert.deepEqual(readSavedViews('nonsense'), [])
  assert.deepEqual(readSavedViews([{ id: 'a', name: 'n'.repeat(99), search: { a: 1, b: 'x' } }]), [
    { id: 'a', name: 'n'.repeat(VIEW_NAME_LENGTH), search: { b: 'x' } },
  ])
})

test('a saved content search keeps its words and the last look, and shows all results', () => {
  const search = { groups: ['A'], processed_from: '1', processed_to: '2', except: ['X'] }
  const more = { words: 'wire transfer', new_from: 2, seen: ['Y'] }
  const { views, saved } = saveView([], 'Mine', search, more)
  assert.deepEqual(saved, {
    id: 'my-mine',
    name: 'Mine',
    search: { groups: ['A'] },
    words: 'wire transfer',
    new_from: 2,
    seen: ['Y'],
  })
  assert.deepEqual(readSavedViews(JSON.parse(JSON.stringify(views))), views)
})
