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
  for (const query of ['xyz', 'grade', 'sair agora']) assert.deepEqual(found(query), [], query)
})
