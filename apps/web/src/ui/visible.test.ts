import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visible } from './visible.ts'

test('invisible characters are made visible, and other text stays unchanged', () => {
  assert.equal(visible('\u202egnp.exe'), '[U+202E]gnp.exe')
  for (const control of ['\u061c', '\u200e', '\u200f', '\u202a', '\u202d', '\u2066', '\u2069'])
    assert.match(visible(`a${control}b`), /^a\[U\+[0-9A-F]{4}\]b$/)
  for (const hidden of ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u3164'])
    assert.match(visible(`Ali${hidden}ce`), /^Ali\[U\+[0-9A-F]{4}\]ce$/)
  assert.equal(visible('alice\u200d'), 'alice[U+200D]')
  for (const name of ['José Álvares', 'שלום', 'مرحبا', '👩‍👧', 'می‌خواهم', '۱۰‌ساله', 'क्‍ष', '+44 20 7123', ''])
    assert.equal(visible(name), name)
})
