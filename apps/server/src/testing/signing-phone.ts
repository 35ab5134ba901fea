import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { AuthenticateRequest } from '@custodia/contract'
import { newDeviceKey, sealUlid, signAuthentication } from '@custodia/envelope'
import { ulid } from 'ulid'
import { type NewEnrolmentRow, insertEnrolment, newSecret } from '../device-records/enrolments-store.ts'
import { insertDeviceUser } from '../device-users/store.ts'
import { type IngestFixture, makePhone } from './ingest-fixture.ts'

/**
 * Creates an enrolment of acme, for one phone of a person or for the account. Resolves to its reference and the
 * phone's credentials.
 */
export async function makeEnrolment(
  { ctx, accounts, sql }: IngestFixture,
  whose: string | null,
  more: Partial<NewEnrolmentRow> = {},
): Promise<{ enrolment_reference: string; enrolment: string }> {
  const { client_id } = accounts.acme
  const [user] = await sql<{ device_user_id: number }>(
    'select device_user_id from device_users where client_id = $1 and device_user_reference = $2',
    [client_id, whose],
  )
  const enrolment_reference = ulid(ctx.now() * 1000)
  const { secret, secret_hash } = newSecret()
  await ctx.db.write(client_id, (tx) =>
    insertEnrolment(tx, {
      enrolment_reference,
      secret_hash,
      device_user_id: user?.device_user_id ?? null,
      description: null,
      max_uses: whose === null ? null : 1,
      matches_email: false,
      created_at: ctx.now(),
      created_by: 'test',
      expires_at: ctx.now() + 3600,
      ...more,
    }),
  )
  return { enrolment_reference, enrolment: `${enrolment_reference}.${secret}` }
}

type Says = Partial<AuthenticateRequest>
export type SigningPhone = ReturnType<typeof signingPhone>

/** A device of acme that comes with a key of its own and, without `enrolment`, with the account key alone. `account`: the one that it says. */
export function signingPhone(
  fixture: IngestFixture,
  said_hardware: Says,
  pair = newDeviceKey(),
  account = 'acme',
) {
  const hardware = { imeis: [], installation_id: randomBytes(6).toString('hex'), ...said_hardware }
  const body = (says: Says = {}) => {
    const { account_key } = fixture.accounts.acme
    const secret = says.enrolment?.split('.')[1]
    const key = secret === undefined ? account_key : Buffer.from(secret, 'base64url')
    const stated = {
      ...hardware,
      ...says,
      account_reference: account,
      ulid_encrypted: sealUlid(key, account, ulid(fixture.ctx.now() * 1000)),
    }
    return { ...stated, device_key: pair.device_key, signature: signAuthentication(pair.private_key, stated) }
  }
  const say = (says: Says) => fixture.authenticate('acme', says)
  async function open(says: Says = {}) {
    const answer = await say(body(says))
    assert.equal(answer.statusCode, 200, answer.body)
    return makePhone(fixture.app, answer.json())
  }
  return {
    hardware,
    body,
    say,
    authenticate: (says: Says = {}) => say(body(says)),
    open,
    /** Comes with a code that was made for this person. */
    async enrol(device_user_reference: string) {
      return open({ enrolment: (await makeEnrolment(fixture, device_user_reference)).enrolment })
    },
  }
}

/** Adds a person to the group North of acme, with an expected number of phones, whose messages are recorded. */
export const addPerson = (
  fixture: IngestFixture,
  device_user_reference: string,
  expected_device_count: number,
) =>
  fixture.ctx.db.write(fixture.accounts.acme.client_id, (tx) =>
    insertDeviceUser(
      tx,
      {
        device_user_reference,
        group: 'North',
        services: ['sms'],
        email: `${device_user_reference}@acme.example`,
        first_name: device_user_reference,
        surname: '',
        expected_device_count,
      },
      { updated_at: 1, updated_by: 'test' },
    ),
  )
