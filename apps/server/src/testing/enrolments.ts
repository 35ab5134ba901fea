import { ulid } from 'ulid'
import { newSecret } from '../device-records/enrolment-secret.ts'
import { insertEnrolment, type NewEnrolmentRow } from '../device-records/enrolments-store.ts'
import type { IngestFixture } from './ingest-fixture.ts'

/** Makes an enrolment of acme: of somebody, for one phone; or of the account. Answers its reference, and what phones present. */
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
