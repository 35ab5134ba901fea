import type { KeyEnrolment } from '@custodia/device-sdk'

/** A person who carries a phone of the simulated fleet. */
export interface DemoPerson {
  email: string
  first_name: string
  surname: string
  group: string
  /** With country code. */
  phone_number: string
  locale: 'en-GB' | 'pt-BR'
  /** What their phone comes with in place of the account's key: reference and secret of an enrolment made for them. */
  enrolment?: string | undefined
}

/** An account with its people, as the server's demo writes it to `demo/enrolments.json`. `account_key` is base64. */
export interface DemoAccount extends Omit<KeyEnrolment, 'server_url' | 'enrolment'> {
  people: DemoPerson[]
}
