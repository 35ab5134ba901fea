import type { SecretEnrolment } from '@custodia/device-sdk'

/** A person who carries a phone of the simulated fleet. */
export interface DemoPerson {
  email: string
  first_name: string
  surname: string
  group: string
  /** With country code. */
  phone_number: string
  locale: 'en-GB' | 'pt-BR'
  /** Reference and secret of the code that was made for them; without one their device comes with the code of the roll-out. */
  enrolment?: string | undefined
}

/** An account with its people and the code of its roll-out, as the server's demo writes it to `demo/enrolments.json`. */
export interface DemoAccount extends Omit<SecretEnrolment, 'server_url' | 'account_key'> {
  people: DemoPerson[]
}
