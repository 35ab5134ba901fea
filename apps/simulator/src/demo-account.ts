import type { Enrolment } from '@custodia/device-sdk'

/** A person who carries a phone of the simulated fleet. */
export interface DemoPerson {
  email: string
  first_name: string
  surname: string
  group: string
  /** With country code. */
  phone_number: string
  locale: 'en-GB' | 'pt-BR'
}

/** An account with its people, as the server's demo writes it to `demo/enrolments.json`. `account_key` is base64. */
export interface DemoAccount extends Omit<Enrolment, 'server_url'> {
  people: DemoPerson[]
}
