import { DAY, fill, type Locale, LOCALES, MAIL_TEXTS, MailAddress } from '@custodia/contract'
import * as z from 'zod/mini'
import { findClient } from '../clients/store.ts'
import { issueEnrolment, revokeEnrolment } from '../device-records/enrolments-store.ts'
import { findUser } from '../device-users/store.ts'
import { marked } from '../http/context.ts'
import { jobKind } from '../jobs/kind.ts'
import { sendOrProblem } from '../ports/mail/port.ts'

/** Whether a mail can go to the device user. */
export const isMailed = <User extends { email: string | null }>(
  user: User,
): user is User & { email: string } => MailAddress.safeParse(user.email).success

/** Actor of enrolments that end because their mail was not accepted. */
const REVOKED_BY = marked('mail', 'system')

/** The page of an enrolment. A browser keeps the part after `#`, which holds the code, from the server. */
const getLink = (portal: string, language: Locale, text: string): string =>
  `${portal}/${language}/enrol#${Buffer.from(text).toString('base64url')}`

const MailedEnrolment = z.object({
  client_id: z.int(),
  client: z.string(),
  device_user_reference: z.string(),
  created_by: z.string(),
  expires_in_days: z.int(),
  description: z.nullable(z.string()),
  language: z.enum(LOCALES),
})
export type MailedEnrolment = z.output<typeof MailedEnrolment>

/**
 * Creates an enrolment for a device user and mails it. The code exists in memory only, so each attempt has its own; one
 * whose mail was not accepted is revoked.
 */
export const mailEnrolment = jobKind({
  name: 'enrolments.mail',
  input: MailedEnrolment,
  async run({ db, mail, config, now }, input) {
    const { client_id, client, device_user_reference, expires_in_days, language, ...wanted } = input
    if (!mail) return
    const created_at = now()
    const expires_at = created_at + expires_in_days * DAY
    const made = await db.write(client_id, async (tx) => {
      const user = await findUser(tx, device_user_reference, true)
      if (!user?.is_active || !isMailed(user)) return undefined
      const { device_user_id, email: sent_to } = user
      const row = {
        ...wanted,
        device_user_id,
        sent_to,
        created_at,
        expires_at,
        max_uses: 1,
        matches_email: false,
      }
      const place = { server_url: config.clientPortalUrl, client }
      return { ...(await issueEnrolment(tx, place, row)), sent_to }
    })
    if (!made) return
    const account = await findClient(db, client)
    const until = new Date(expires_at * 1000).toISOString().slice(0, 16).replace('T', ' ')
    const failure = await sendOrProblem(mail, {
      message_id: `${made.enrolment_reference}@${new URL(config.clientPortalUrl).hostname}`,
      to: made.sent_to,
      subject: MAIL_TEXTS.subject_enrolment[language],
      text: `${fill(MAIL_TEXTS.enrolment[language], { client: account?.client_name ?? client, link: getLink(config.clientPortalUrl, language, made.text), until })}\n`,
    })
    if (failure === undefined) return
    const by = { updated_at: now(), updated_by: REVOKED_BY }
    await db.write(client_id, (tx) => revokeEnrolment(tx, made.enrolment_reference, by))
    if (!failure.isFinal) throw failure
  },
})
