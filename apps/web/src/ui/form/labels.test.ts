import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headed, named, getNames } from './labels.ts'

const labels = {
  role_reference: 'Name',
  permissions: 'Rules',
  'permissions.*': (number: number) => `Rule ${number}`,
  'permissions.*.actions_matching': 'Actions',
  'oidc_config.issuer': 'Issuer',
  cidr_ranges: 'Networks',
}

test('a path is named with the labels of the form', () => {
  const readState = (path: string) => getNames(path, labels).join(' / ')
  assert.equal(readState('role_reference'), 'Name')
  assert.equal(readState('permissions'), 'Rules')
  assert.equal(readState('permissions.1'), 'Rule 2')
  assert.equal(readState('permissions.1.actions_matching'), 'Rule 2 / Actions')
  assert.equal(readState('permissions.0.actions_matching.3'), 'Rule 1 / Actions')
  assert.equal(readState('permissions.0.conditions.2.names_matching'), 'Rule 1')
  assert.equal(readState('oidc_config.issuer'), 'Issuer')
  assert.equal(readState('cidr_ranges.7'), 'Networks')
  assert.equal(readState('constructor'), '')
})

test('a missing field is named once by its label in text and summary', () => {
  const required = (path: string, field: string) => ({
    path,
    code: 'required' as const,
    message: '',
    values: { field },
  })
  assert.equal(named(required('role_reference', 'role_reference'), labels).values?.field, 'Name')
  assert.equal(named(required('unknown', 'unknown'), labels).values?.field, 'unknown')
  assert.equal(headed(required('role_reference', 'Name'), 'The text.', labels), 'The text.')
  const few = { path: 'permissions.1.actions_matching', code: 'too_few' as const, message: '' }
  assert.equal(headed(few, 'The text.', labels), 'Rule 2 – Actions: The text.')
  assert.equal(headed({ ...few, path: '' }, 'The text.', labels), 'The text.')
  assert.equal(headed({ ...few, path: 'elsewhere' }, 'The text.', labels), 'elsewhere: The text.')
})
