import { EnrolmentText } from '@custodia/contract'

interface OfAccount {
  /** Origin of the server, such as `https://archive.example`. */
  server_url: string
  account_reference: string
}
/** With the account's own key: 32 bytes in base64, a secret. */
export interface KeyEnrolment extends OfAccount {
  account_key: string
  enrolment?: never
}
/** The code that the portal made: reference and secret of an enrolment, with which the device authenticates from then on. */
export interface SecretEnrolment extends OfAccount {
  enrolment: string
  account_key?: never
}
/** What a phone is given at roll-out, for example as a QR code. */
export type Enrolment = KeyEnrolment | SecretEnrolment

/** What the text or QR code of the portal says. Throws a RangeError that does not quote it. */
export function readEnrolment(text: string): SecretEnrolment {
  let stated: unknown
  try {
    stated = JSON.parse(text)
  } catch {
    stated = undefined
  }
  const parsed = EnrolmentText.safeParse(stated)
  if (!parsed.success) throw new RangeError('this is no enrolment: it is JSON, as the portal shows it')
  return parsed.data
}

/** What a device seals its proofs with: the secret of its enrolment, else the account key. Throws a RangeError that does not quote the key. */
export const secretOf = ({ enrolment, account_key }: Enrolment): Buffer =>
  enrolment === undefined
    ? accountKeyOf(account_key)
    : Buffer.from(enrolment.split('.')[1] ?? '', 'base64url')

/** What a phone says about itself when it authenticates. Without `installation_id` reinstallations are not recognised. */
export interface PhoneIdentity {
  model: string
  os_version: string
  app_version: string
  serial_number?: string | null
  installation_id?: string | null
  fcm_token?: string | null
  phone_numbers: string[]
  imeis: string[]
  /** Address of the person whom the device claims as its holder. */
  email?: string | null
}

function accountKeyOf(account_key: string): Buffer {
  const key = Buffer.from(account_key, 'base64')
  if (key.length !== 32 || key.toString('base64') !== account_key) {
    throw new RangeError('the account key is not 32 bytes in base64')
  }
  return key
}
