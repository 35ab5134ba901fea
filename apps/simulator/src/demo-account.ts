import type { SecretEnrolment } from '@custodia/device-sdk'

/** A person with a phone of the simulated fleet. */
export interface DemoPerson {
  email: string
  first_name: string
  surname: string
  group: string
  /** With country code. */
  phone_number: string
  locale: 'en-GB' | 'pt-BR'
  /** Reference and secret of the person's enrolment; without one the device uses the roll-out's code. */
  enrolment?: string | undefined
}

/** An account with its people and roll-out code, as in the demo's `demo/enrolments.json`. */
export interface DemoAccount extends Omit<SecretEnrolment, 'server_url' | 'account_key'> {
  people: DemoPerson[]
}
