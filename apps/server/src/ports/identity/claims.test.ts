import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIM_PRESETS, type ClaimRule, DEFAULT_CLAIM_MAPPING } from '@custodia/contract'
import { applyMapping } from '@custodia/domain'
import { readClaims } from './claims.ts'
import { SignInRefused } from './port.ts'

const read = (payload: Record<string, unknown>, names = DEFAULT_CLAIM_MAPPING) => readClaims(payload, names)

test('accepts a person without an email address when the provider sends no email claim', () => {
  const { user_reference, email } = read({ sub: 'ann', roles: ['Auditor'] })
  assert.deepEqual([user_reference, email], ['ann', undefined])
})

test('accepts an email address unless the provider says that it is not verified', () => {
  const getEmail = (stated: object) => read({ sub: 'ann', email: 'ann@acme.example', ...stated }).email
  for (const stated of [{}, { email_verified: true }, { email_verified: 'true' }])
    assert.equal(getEmail(stated), 'ann@acme.example')
  for (const email_verified of [false, 'false']) assert.equal(getEmail({ email_verified }), undefined)
})

test('drops an optional claim with control characters, and refuses other claims with them', () => {
  const { display_name, email } = read(
    { sub: 'ann', name: 'Ann\0', email: 'ann@acme.example\nBcc: eve@evil.example' },
    { ...DEFAULT_CLAIM_MAPPING, display_name: 'name' },
  )
  assert.deepEqual([display_name, email], [undefined, undefined])
  for (const claims of [
    { sub: 'an\0n', user_reference: 'ann' },
    { sub: '', user_reference: 'ann' },
    { sub: 'ann', roles: ['Auditor\0'] },
    { sub: 'ann', groups: 'No\0rth' },
  ])
    assert.throws(() => read(claims), SignInRefused)
})

const rule = (value: string, role: string, groups: string[] = []): ClaimRule => ({
  value,
  roles: [role],
  groups,
  all_groups: false,
})
const ENTRA_GROUP = '6f6b6f0c-2d7e-4c0e-9c0b-1f6a5b7f3a11'
const TIMES = { iat: 1_790_000_000, exp: 1_790_003_600, nbf: 1_790_000_000 }

/** Id tokens of real providers, and the mapping rules of a client. */
const PROVIDERS: Record<
  keyof typeof CLAIM_PRESETS,
  { claims: Record<string, unknown>; rules: ClaimRule[]; name: string; groups: string[] }
> = {
  entra: {
    claims: {
      ...TIMES,
      aud: '2d4d11a2-f814-46a7-890a-274a72a7309e',
      iss: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
      preferred_username: 'ada@acme.example',
      name: 'Ada Byron',
      roles: ['Recordings.Review'],
      groups: [ENTRA_GROUP, '11111111-2222-3333-4444-555555555555'],
      ver: '2.0',
    },
    rules: [
      rule('Recordings.Review', 'Compliance Reviewer'),
      { value: ENTRA_GROUP, roles: [], groups: ['North'], all_groups: false },
    ],
    name: 'ada@acme.example',
    groups: ['North'],
  },
  okta: {
    claims: {
      ...TIMES,
      ver: 1,
      sub: '00uid4BxXw6I6TV4m0g3',
      iss: 'https://acme.okta.com',
      aud: 'uAaunofWkaDJxukCFeBx',
      idp: '00ok1u7AsAkrwdZL3z0g3',
      amr: ['pwd', 'mfa'],
      name: 'Ada Byron',
      email: 'ada@acme.example',
      preferred_username: 'ada@acme.example',
      groups: ['Everyone', 'Compliance Reviewers North'],
    },
    rules: [rule('Compliance Reviewers North', 'Compliance Reviewer', ['North'])],
    name: 'ada@acme.example',
    groups: ['North'],
  },
  google: {
    claims: {
      ...TIMES,
      iss: 'https://accounts.google.com',
      azp: '1234987819200.apps.googleusercontent.com',
      aud: '1234987819200.apps.googleusercontent.com',
      sub: '10769150350006150715113082367',
      at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
      hd: 'acme.example',
      email: 'ada@acme.example',
      email_verified: true,
      name: 'Ada Byron',
      picture: 'https://lh3.googleusercontent.com/a/x',
    },
    rules: [rule('acme.example', 'Compliance Reviewer', ['North'])],
    name: 'ada@acme.example',
    groups: ['North'],
  },
  keycloak: {
    claims: {
      ...TIMES,
      jti: '4f7d1ff1-4b4c-4d6e-a2a1-0d4d1a9d4a76',
      iss: 'https://sso.acme.example/realms/acme',
      aud: 'custodia',
      sub: 'b9a6c1d8-6a0c-4e3a-9a86-0c5f1a1f3c55',
      typ: 'ID',
      azp: 'custodia',
      realm_access: { roles: ['offline_access', 'compliance-reviewer', 'uma_authorization'] },
      resource_access: { 'custodia.portal': { roles: ['user'] }, account: { roles: ['view-profile'] } },
      groups: ['/compliance/north'],
      email_verified: true,
      name: 'Ada Byron',
      preferred_username: 'ada',
      email: 'ada@acme.example',
    },
    rules: [
      rule('compliance-reviewer', 'Compliance Reviewer'),
      { value: '/compliance/north', roles: [], groups: ['North'], all_groups: false },
    ],
    name: 'ada',
    groups: ['North'],
  },
  lemonldap: {
    claims: {
      ...TIMES,
      iss: 'https://auth.acme.example/',
      aud: ['custodia'],
      azp: 'custodia',
      acr: 'loa-1',
      auth_time: 1_790_000_000,
      sub: 'ada',
      name: 'Ada Byron',
      groups: ['timelords', 'reviewers'],
    },
    rules: [rule('reviewers', 'Compliance Reviewer', ['North'])],
    name: 'ada',
    groups: ['North'],
  },
}

for (const [name, { claims, rules, ...expected }] of Object.entries(PROVIDERS)) {
  test(`reads the person, roles and groups of an id token of ${name} with its preset`, () => {
    const mapping = { ...CLAIM_PRESETS[name as keyof typeof CLAIM_PRESETS], rules }
    const person = readClaims(claims, mapping)
    const { roles, groups } = applyMapping(mapping, person, undefined)
    assert.deepEqual([person.user_reference, person.display_name], [expected.name, 'Ada Byron'])
    assert.deepEqual(
      roles.map(({ role }) => role),
      ['Compliance Reviewer'],
    )
    assert.deepEqual(groups, expected.groups)
  })
}

test('follows a path of claims whose names hold dots themselves', () => {
  const { claims } = PROVIDERS.keycloak
  const rolesAt = (roles: string, payload = claims) =>
    readClaims(payload, { ...DEFAULT_CLAIM_MAPPING, roles }).roles
  assert.deepEqual(rolesAt('resource_access.custodia.portal.roles'), ['user'])
  assert.deepEqual(rolesAt('https://acme.example/roles', { sub: 'ada', 'https://acme.example/roles': 'x' }), [
    'x',
  ])
  assert.equal(rolesAt('resource_access.other.roles'), undefined)
  assert.equal(rolesAt('toString'), undefined)
})

/** Claims that must not give an unconfined session or other permissions than the provider intended. */
const MALFORMED: Record<string, Record<string, unknown>> = {
  'no object on the path': { realm_access: 'compliance-reviewer' },
  'null on the path': { realm_access: null },
  'a list on the path': { realm_access: [{ roles: ['x'] }] },
  'null in place of a list': { groups: null },
  'numbers in a list': { groups: ['North', 7] },
  'an object in place of a list': { groups: { North: true } },
  'too many values': { groups: Array.from({ length: 201 }, (_, i) => `Group ${i}`) },
  'groups that are fetched elsewhere': {
    _claim_names: { groups: 'src1' },
    _claim_sources: { src1: { endpoint: 'https://graph.windows.net/x/getMemberObjects' } },
  },
  'groups that were left out': { hasgroups: true },
  'roles that are fetched elsewhere': { _claim_names: { realm_access: 'src1' } },
  'claim names that are no object': { _claim_names: 'src1' },
  'control characters in the name': { preferred_username: 'a\nda' },
  'no name of the person': { preferred_username: undefined },
}
for (const [name, part] of Object.entries(MALFORMED)) {
  test(`refuses a token with ${name}, and says whose it is`, () => {
    const payload = { sub: 'ada', preferred_username: 'ada', groups: undefined, ...part }
    const claims = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined))
    assert.throws(
      () => readClaims(claims, CLAIM_PRESETS.keycloak),
      (error) => error instanceof SignInRefused && error.user_reference === 'ada',
    )
  })
}
