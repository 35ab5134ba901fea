import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCommands } from './find-commands.ts'

const commands = ['Painel', 'Grupos', 'Funções', 'Licenças', 'Sair'].map((label) => ({ label }))
const found = (query: string) => findCommands(query, commands).map(({ label }) => label)

test('finds commands with or without accents, in singular or plural', () => {
  for (const query of ['funcoes', 'Funções', 'função', 'funcao', 'fun'])
    assert.deepEqual(found(query), ['Funções'])
  assert.deepEqual(found('licenca'), ['Licenças'])
  assert.deepEqual(
    found(''),
    commands.map(({ label }) => label),
  )
})

test('finds no command for an unknown word', () => {
  for (const query of ['xyz', 'grade', 'sair agora', 'uposta']) assert.deepEqual(found(query), [], query)
})

test('finds a page by a common word of either language, after those of that name', () => {
  const pages = [
    { label: 'Legal holds', words: 'litigation freeze guarda legal' },
    { label: 'Data subject requests', words: 'GDPR LGPD export titular' },
    { label: 'Export', words: '' },
  ]
  const names = (query: string) => findCommands(query, pages).map(({ label }) => label)
  assert.deepEqual(names('gdpr'), ['Data subject requests'])
  assert.deepEqual(names('LGPD'), ['Data subject requests'])
  assert.deepEqual(names('guarda'), ['Legal holds'])
  assert.deepEqual(names('export'), ['Export', 'Data subject requests'])
  assert.deepEqual(names('ezze'), [], 'not the middle of a word')
})
