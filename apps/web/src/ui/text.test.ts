import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesText, middleEllipsis } from './text.ts'

test('a text search ignores case and accents', () => {
  for (const search of ['funcoes', 'FUNÇÕES', 'Funções', ' funçoes '])
    assert.ok(includesText('Funções', search), search)
  assert.ok(includesText('Licencas', 'licenças'))
  assert.ok(includesText('Qualquer', ''))
})

test('a text search distinguishes letters', () => {
  assert.equal(includesText('Funções', 'funcao'), false)
  assert.equal(includesText('Grupos', 'papéis'), false)
})

test('short values stay whole', () => {
  assert.equal(middleEllipsis('01JABC', 17), '01JABC')
  assert.equal(middleEllipsis('', 4), '')
})

test('long values keep both ends and the given length', () => {
  assert.equal(middleEllipsis('01J8ZQ4T9W6M3N5P7R2S', 9), '01J8…7R2S')
  assert.equal([...middleEllipsis('😀'.repeat(40), 10)].length, 10)
})
