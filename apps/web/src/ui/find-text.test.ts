import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesText } from './find-text.ts'

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
