/** What a phone is given at roll-out, for example as a QR code. `account_key` is a secret. */
export interface Enrolment {
  /** Origin of the server, such as `https://archive.example`. */
  server_url: string
  account_reference: string
  /** 32 bytes in base64. */
  account_key: string
}

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
  /** Ties the phone to the device user with this address. */
  email?: string | null
}

/** The account key as bytes. Throws a RangeError that does not quote it. */
export function accountKeyOf(enrolment: Enrolment): Buffer {
  const key = Buffer.from(enrolment.account_key, 'base64')
  if (key.length !== 32 || key.toString('base64') !== enrolment.account_key) {
    throw new RangeError('the account key of the enrolment is not 32 bytes in base64')
  }
  return key
}
