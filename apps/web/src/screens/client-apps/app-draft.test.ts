import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftFaults, getDraft, getInput } from './app-draft.ts'

const complete = {
  ...getDraft(undefined),
  app_reference: 'archive',
  oidc_config: {
    issuer: ' https://id.example.com',
    audience: 'custodia',
    jwks_uri: 'https://id.example.com/jwks ',
  },
  roles: ['Receipt App'],
}

test('a complete form has no faults, and pasted spaces are trimmed', () => {
  assert.deepEqual(draftFaults(complete), [])
  assert.equal(getInput(complete).oidc_config.issuer, 'https://id.example.com')
})

test('an empty form reports every missing field', () => {
  const faults = draftFaults(getDraft(undefined))
  assert.ok(faults.every(({ code }) => code === 'required'))
  const paths = faults.map(({ path }) => path)
  for (const path of [
    'app_reference',
    'oidc_config.issuer',
    'oidc_config.audience',
    'oidc_config.jwks_uri',
    'roles',
  ])
    assert.ok(paths.includes(path), path)
})

test('addresses must use https', () => {
  const faults = draftFaults({
    ...complete,
    oidc_config: { ...complete.oidc_config, jwks_uri: 'http://id.example.com/jwks' },
  })
  assert.deepEqual(
    faults.map(({ path, code }) => [path, code]),
    [['oidc_config.jwks_uri', 'https_address']],
  )
})
