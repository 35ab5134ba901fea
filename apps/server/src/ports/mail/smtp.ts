import { createTransport } from 'nodemailer'
import { type Mailer, MailProblem } from './port.ts'
import type { SmtpServer } from './read-smtp.ts'

/** Milliseconds until a silent server times out. */
const PATIENCE = 10_000
/** Refusals of these commands concern the mail and its recipient, not this installation. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA']

/** Sends through an SMTP server, with a connection per mail, because mails are few. */
export function smtpMailer({ from, ...server }: SmtpServer & { from: string }): Mailer {
  const { host, port, tls, user, password } = server
  const transport = createTransport({
    host,
    port,
    secure: tls === 'at_once',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'never',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: PATIENCE,
    greetingTimeout: PATIENCE,
    socketTimeout: PATIENCE,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ message_id, to, subject, text }) {
      await transport
        .sendMail({
          messageId: `<${message_id}>`,
          from: { name: 'Custodia', address: from },
          // As parts, so that an address is never parsed as two.
          to: { name: '', address: to },
          envelope: { from, to: [to] },
          subject,
          text,
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
        .catch((error: unknown) => {
          throw getProblem(error)
        })
    },
  }
}

function getProblem(error: unknown): MailProblem {
  const { code, command, originalCode, responseCode } = error as Failure
  if (code === 'ETLS' || originalCode?.includes('CERT')) return new MailProblem('no_tls', false)
  if (typeof responseCode === 'number')
    return new MailProblem(
      `smtp_${responseCode}`,
      responseCode >= 500 && ABOUT_THE_MAIL.includes(command ?? ''),
    )
  return new MailProblem(code === 'ETIMEDOUT' ? 'too_slow' : 'unreachable', false)
}

/** Fields of nodemailer's errors. */
interface Failure {
  code?: string
  command?: string
  originalCode?: string
  responseCode?: number | false
}
