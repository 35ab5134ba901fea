/** A mail of plain text. */
export interface Mail {
  /** The same in all attempts, so that the recipient sees a repeated mail once; without brackets. */
  message_id: string
  to: string
  subject: string
  text: string
}

/** Sends mails through the operator's mail server. */
export interface Mailer {
  /** Resolves once the server has accepted the mail. Throws MailProblem. */
  send(mail: Mail): Promise<void>
}

/** Sends a mail; resolves to the problem of a mail that was not accepted. */
export async function sendOrProblem(mailer: Mailer, mail: Mail): Promise<MailProblem | undefined> {
  try {
    await mailer.send(mail)
    return undefined
  } catch (error) {
    if (error instanceof MailProblem) return error
    throw error
  }
}

/** The mail server refused a mail. The message leaves out its response, which may contain addresses. */
export class MailProblem extends Error {
  /** `smtp_<code>` of the server's response, or the reason for none. */
  readonly reason: string
  /** The server never accepts mail for this address. */
  readonly isFinal: boolean
  constructor(reason: string, isFinal: boolean) {
    super(`the mail server did not take a mail: ${reason}`)
    this.name = 'MailProblem'
    this.reason = reason
    this.isFinal = isFinal
  }
}
