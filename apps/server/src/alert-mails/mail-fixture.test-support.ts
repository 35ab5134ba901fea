import { startSmtpd, type TakenMail } from '../testing/smtpd.ts'
import { alertFixture, type NamedClient } from '../testing/alert-fixture.ts'
import { clientsWithDue } from '../alerts/delivery-store.ts'
import { clientsWithDueCodes } from './check-store.ts'
import { mailCodes } from './texts.ts'
import { deliverMails } from './jobs.ts'

/** What a person has mailed to themselves, unless a test says otherwise. */
export const AT_ONCE = {
  language: 'en-GB',
  low: 'never',
  medium: 'at_once',
  high: 'at_once',
  digest_hour: 6,
  address_source: 'claimed',
} as const

/** An alert fixture that mails through a server of its own, when a test says so. */
export async function mailFixture(env: Record<string, string> = {}) {
  await using made = new AsyncDisposableStack()
  const smtpd = await startSmtpd()
  made.defer(() => smtpd.stop())
  const fixture = await alertFixture({
    SMTP_URL: `smtp://127.0.0.1:${smtpd.port}?tls=never`,
    SMTP_FROM: 'custodia@bank.example',
    ...env,
  })
  made.defer(() => fixture.close())
  await fixture.server.ctx.jobs.stop()
  let seen = 0
  const at = (ahead: number) => ({
    ...fixture.server.ctx,
    now: () => Math.floor(Date.now() / 1000 + ahead),
  })
  const signal = new AbortController().signal
  const all = made.move()
  return {
    ...fixture,
    smtpd,
    /** Sends mails that are due within `ahead` seconds. */
    deliver: async (ahead = 0) => {
      for (const { client_id } of await clientsWithDue(at(ahead).db, at(ahead).now()))
        await deliverMails(at(ahead), client_id, signal)
    },
    mailCodes: async (ahead = 0) => {
      for (const client_id of await clientsWithDueCodes(at(ahead).db, at(ahead).now()))
        await mailCodes(at(ahead), client_id, signal)
    },
    /** The next mails, of which there are so many; later ones are next time's. */
    async next(count = 1): Promise<readonly TakenMail[]> {
      const mails = (await smtpd.taken(seen + count)).slice(seen)
      seen += mails.length
      return mails
    },
    /** The number of mails that the test has not read. */
    unread: () => smtpd.mails.length - seen,
    /** What became of all deliveries to a person, in the order in which they were queued. */
    states: async ({ name }: NamedClient) =>
      (
        await fixture.owner<{ delivery_state: string; last_error: string | null }>(
          `select delivery_state, last_error from alert_deliveries join alert_subscriptions using (client_id, subscription_id)
           where user_reference = $1 order by delivery_id`,
          [name],
        )
      ).map(({ delivery_state, last_error }) =>
        last_error === null ? delivery_state : `${delivery_state} ${last_error}`,
      ),
    close: () => all.disposeAsync(),
  }
}
export type MailFixture = Awaited<ReturnType<typeof mailFixture>>
