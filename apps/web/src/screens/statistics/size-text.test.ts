import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeText } from './size-text.ts'

test('small sizes keep decimals, large ones do not', () => {
  assert.equal(sizeText(0.0041, 'en-GB'), '0.004')
  assert.equal(sizeText(1.54, 'en-GB'), '1.5')
  assert.equal(sizeText(12_345.6, 'en-GB'), '12,346')
  assert.equal(sizeText(1.54, 'pt-BR'), '1,5')
})
