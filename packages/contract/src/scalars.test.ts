import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod/mini'
import * as s from './scalars.ts'

/** Each format at its edge and past it (spec sections 3, 5 and 9). */
const CASES: Record<string, { schema: z.ZodMiniType; accepts: unknown[]; refuses: unknown[] }> = {
  'group reference: 2 to 255, no comma, no leading space': {
    schema: s.GroupReference,
    accepts: ['ab', 'x'.repeat(255), 'São Paulo/1', '100% #1?', 'a b '],
    refuses: ['a', 'x'.repeat(256), ' ab', ',ab', 'a,b', 'a\u0000b', 'a\nb', '\ud800b', 5, null],
  },
  'user reference: 3 to 255': {
    schema: s.UserReference,
    accepts: ['abc', 'x'.repeat(255), 'erin (support)'],
    refuses: ['ab', 'x'.repeat(256), ' abc', 'a,bc'],
  },
  'person reference: not the form of staff and apps': {
    schema: s.PersonReference,
    accepts: ['erin', 'Ann (East)', 'support'],
    refuses: [
      'ab',
      'erin (support)',
      'erin(APP)',
      'dave ( provider ) ',
      'erin (sup\u200bport)',
      'erin （support）',
    ],
  },
  'device user reference: 3 to 60': {
    schema: s.DeviceUserReference,
    accepts: ['abc', 'x'.repeat(60), 'ana.souza@bank'],
    refuses: ['ab', 'x'.repeat(61), ' abc', ',abc', 'a,b c'],
  },
  'device reference: no comma, plus, hash, slash or colon': {
    schema: s.DeviceReference,
    accepts: ['a', 'SN-1 (blue)', 'x'.repeat(255)],
    refuses: ['', ' a', 'a,b', 'a+b', 'a#b', 'a/b', 'a:b', '+a', 'x'.repeat(256)],
  },
  'role reference: 3 to 35, simple characters': {
    schema: s.RoleReference,
    accepts: ['abc', 'x'.repeat(35), 'Account Administrator', 'a-_.!()b'],
    refuses: ['ab', 'x'.repeat(36), ' abc', 'abc ', 'a/bc', 'a@bc', 'a,bc', 'a\u200bbc', 'abc\u3164'],
  },
  'tag key: 1 to 60': {
    schema: s.TagKey,
    accepts: ['a', 'x'.repeat(60), 'cost centre', 'a.b!(c)_d-e'],
    refuses: ['', 'x'.repeat(61), ' a', 'a ', 'a:b'],
  },
  'tag value: up to 255': { schema: s.TagValue, accepts: ['', 'x'.repeat(255)], refuses: ['x'.repeat(256)] },
  'client app reference: 3 to 60': {
    schema: s.ClientAppReference,
    accepts: ['abc', 'x'.repeat(60), 'CRM (prod)!', 'a-b_c.d', 'Conciliação', 'Приёмник'],
    refuses: ['ab', 'x'.repeat(61), ' abc', 'abc ', 'a/b'],
  },
  'transfer config reference: 3 to 255': {
    schema: s.TransferConfigReference,
    accepts: ['a:b', 'x'.repeat(255), 'A/b_c-1'],
    refuses: ['ab', 'x'.repeat(256), 'a b', 'a.b', 'aé'],
  },
  'SFTP reference': { schema: s.SftpReference, accepts: ['a_b.c-d'], refuses: ['', 'a b', 'a/b', 'a:b'] },
  'payload reference: 26 to 36': {
    schema: s.PayloadReference,
    accepts: ['0'.repeat(26), '0'.repeat(36), '550e8400-e29b-41d4-a716-446655440000'],
    refuses: ['0'.repeat(25), '0'.repeat(37), `${'0'.repeat(26)}/`, `../${'0'.repeat(26)}`],
  },
  ULID: {
    schema: s.Ulid,
    accepts: ['01HF0000000000000000000000'],
    refuses: ['81HF0000000000000000000000', '01HF', '01HFILOU000000000000000000'],
  },
  'person name: 1 to 35': {
    schema: s.PersonName,
    accepts: ['a', 'x'.repeat(35), 'João'],
    refuses: ['', 'x'.repeat(36), ' a', 'a,b'],
  },
  'email: 3 to 255': {
    schema: s.Email,
    accepts: ['a@b', `${'x'.repeat(253)}@b`],
    refuses: ['ab', 'a@', '@b', 'a b@c', `${'x'.repeat(254)}@b`],
  },
  'phone number: null or 1 to 255': {
    schema: s.PhoneNumber,
    accepts: [null, '1', '+447700900101', '60123', 'x'.repeat(255)],
    refuses: ['', 'x'.repeat(256), 5],
  },
  'local phone number: 3 to 255': {
    schema: s.LocalPhoneNumber,
    accepts: ['123', '1'.repeat(255)],
    refuses: ['12', '1'.repeat(256)],
  },
  'country code: 1 to 999': { schema: s.CountryCode, accepts: [1, 999], refuses: [0, 1000, 1.5, '44'] },
  'IMEI: exactly 15': {
    schema: s.Imei,
    accepts: ['123456789012345'],
    refuses: ['12345678901234', '1234567890123456', '12345678901234a'],
  },
  'message id: null or exactly 32': {
    schema: s.MessageId,
    accepts: [null, 'x'.repeat(32)],
    refuses: ['x'.repeat(31), 'x'.repeat(33)],
  },
  'ISO date': {
    schema: s.IsoDate,
    accepts: ['1999-01-01'],
    refuses: ['1999-13-01', '1999-1-1', '1999-01-32', '1999-01-01T00:00:00'],
  },
  'date parameter': {
    schema: s.DateParameter,
    accepts: ['1999-01-01', '1999-01-01-165000', '2024-02-29', '2024-02-29-235959'],
    refuses: ['2023-02-29', '1999-01-01-240000', '1999-01-01-16500', '1999/01/01', ''],
  },
  'CIDR range': {
    schema: s.CidrRange,
    accepts: ['10/8', '10.0/16', '10.0.0.0/8', '0.0.0.0/0', '255.255.255.255/32'],
    refuses: ['999.1/99', '10.0.0.0/33', '256.0.0.0/8', '10.0.0.0', '10.0.0.0.0/8', '/8', '10/'],
  },
  'https address': {
    schema: s.HttpsAddress,
    accepts: ['https://a'],
    refuses: ['http://a', 'https://', 'https://a b'],
  },
  'webhook address': {
    schema: s.HookAddress,
    accepts: ['https://a', 'http://a'],
    refuses: ['ftp://a', 'http://', 'https://a b'],
  },
  'audience: at least 5': { schema: s.Audience, accepts: ['abcde'], refuses: ['abcd'] },
  'object destination': {
    schema: s.ObjectDestination,
    accepts: ['s3://b'],
    refuses: ['s3://', 'http://bucket', 's3:/x'],
  },
  'role ARN: at least 31': {
    schema: s.RoleArn,
    accepts: ['arn:aws:iam::123456789012:role/x', 'arn:aws-cn:iam::123456789012:role/a/b'],
    refuses: ['arn:aws:iam::12345678901:role/x', 'arn:aws:iam::123456789012:user/x', 'arn:aws:s3:::x'],
  },
  'SFTP root directory': { schema: s.SftpRootDirectory, accepts: ['/', '/in/box'], refuses: ['', 'in'] },
  schedule: {
    schema: s.Schedule,
    accepts: ['', 'cron(0 10 * * ? *)', 'rate(5 minutes)'],
    refuses: ['5 minutes', 'cron()', 'at(1)'],
  },
  'licence limit: 0 to 100000': {
    schema: s.LicenseLimit,
    accepts: [0, 100_000],
    refuses: [-1, 100_001, 0.5],
  },
  'client reference': {
    schema: s.ClientReference,
    accepts: ['acme', 'a1'],
    refuses: ['a', 'Acme', '-a', 'a_b', 'x'.repeat(61)],
  },
  'SHA-256': {
    schema: s.Sha256,
    accepts: ['a'.repeat(64)],
    refuses: ['a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64)],
  },
  'reason: one line of 3 to 200 printable characters': {
    schema: s.AccessReason,
    accepts: ['FCA', 'x'.repeat(200), 'Pedido nº 7 👩\u200d⚖️', 'طلب رقم 7'],
    refuses: [
      'ab',
      'x'.repeat(201),
      ' FCA',
      'FCA ',
      'a\nb',
      'a\u0085b',
      'a\u2028b',
      'a\u2029b',
      'a\u202eb',
      'a\u2066b',
    ],
  },
  base64: {
    schema: s.Base64(8),
    accepts: ['AAAA', 'AAA=', 'AAAAAAA='],
    refuses: ['', 'AAA', 'AA*A', 'AAAAAAAAAAAA', 'AA=A'],
  },
}

describe('formats', () => {
  for (const [name, { schema, accepts, refuses }] of Object.entries(CASES)) {
    test(name, () => {
      for (const value of accepts)
        assert.ok(schema.safeParse(value).success, `accepts ${JSON.stringify(value)}`)
      for (const value of refuses)
        assert.ok(!schema.safeParse(value).success, `refuses ${JSON.stringify(value)}`)
    })
  }
})

test('lists are unique and bounded', () => {
  const list = s.uniqueList(s.PayloadReference, 1, s.BATCH_LIMIT)
  const references = Array.from({ length: 101 }, (_, i) => String(i).padStart(26, '0'))
  assert.ok(list.safeParse(references.slice(0, 1)).success)
  assert.ok(list.safeParse(references.slice(0, 100)).success)
  assert.ok(!list.safeParse(references).success)
  assert.ok(!list.safeParse([]).success)
  assert.ok(!list.safeParse([references[0], references[0]]).success)
})

test('an end date without a time means the following midnight', () => {
  assert.equal(s.dateParameterToEpoch('1970-01-02'), 86_400)
  assert.equal(s.dateParameterToEpoch('1970-01-02', true), 2 * 86_400)
  assert.equal(s.dateParameterToEpoch('1970-01-02-000001', true), 86_401)
  assert.equal(s.dateParameterToEpoch('1970-02-30'), undefined)
})

test('an act on a set needs chosen records, or `all`, and not both', () => {
  const body = s.setBody('tags', { tags: z.optional(s.uniqueList(s.TagKey, 1, 2)) })
  const accepts = (value: object) => z.safeParse(body, value).success
  assert.deepEqual([{ tags: ['ab'] }, { all: true }].map(accepts), [true, true])
  assert.deepEqual([{}, { tags: ['ab'], all: true }, { all: false }].map(accepts), [false, false, false])
})
