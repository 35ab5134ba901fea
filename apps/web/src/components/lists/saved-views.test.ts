import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeView, readSavedViews, renameView, saveView, VIEW_NAME_LENGTH } from './saved-views.ts'

function saved(...view: Parameters<typeof saveView>) {
  const made = saveView(...view)
  assert(made)
  return made
}

test('a saved view keeps the filters and not the open preview', () => {
  const { views, saved: view } = saved([], '  São Paulo, late  ', { late: true, preview: 'X', view: 'all' })
  assert.deepEqual(view, { id: 'my-sao-paulo-late', name: 'São Paulo, late', search: { late: true } })
  assert.deepEqual(views, [view])
})

test('a new view with the name of another is refused, and a changed view keeps its name and place', () => {
  const views = saved([], 'Mine', { late: true }).views
  assert.equal(saveView(views, ' mine ', { states: ['Failed'] }), undefined)
  const { views: both } = saved(views, 'Other', { late: true })
  assert.deepEqual(
    changeView(both, both[0]!, { states: ['Failed'], preview: 'X' }, { words: 'wire' }).views,
    [{ id: 'my-mine', name: 'Mine', search: { states: ['Failed'] }, words: 'wire' }, both[1]],
  )
})

test('a renamed view keeps its place, filters and words; the name of another view is refused', () => {
  const first = saved([], 'Mine', { late: true }, { words: 'wire', new_from: 2 }).views
  const { views } = saved(first, 'Other', { states: ['Failed'] })
  const renamed = renameView(views, 'my-mine', '  Late calls ')
  assert.deepEqual(renamed, {
    views: [{ ...first[0], id: 'my-late-calls', name: 'Late calls' }, views[1]],
    id: 'my-late-calls',
  })
  assert.equal(renameView(views, 'my-mine', 'other'), undefined)
  assert.equal(renameView(views, 'my-mine', 'MINE')?.views[0]?.name, 'MINE')
})

test('stored views are read back, and invalid ones are dropped', () => {
  const { views } = saved([], 'Mine', { groups: ['A', 'B'], from: '-7d', late: true })
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
  const { views, saved: view } = saved([], 'Mine', search, more)
  assert.deepEqual(view, {
    id: 'my-mine',
    name: 'Mine',
    search: { groups: ['A'] },
    words: 'wire transfer',
    new_from: 2,
    seen: ['Y'],
  })
  assert.deepEqual(readSavedViews(JSON.parse(JSON.stringify(views))), views)
})
