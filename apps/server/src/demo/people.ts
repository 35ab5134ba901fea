import type { TagDefinition } from '@custodia/contract'

/**
 * The fictional demo fleet, with numbers that regulators reserve for fiction (Ofcom's drama numbers) or leave
 * unassigned.
 */
export interface DemoPerson {
  /** Their staff number: no name, so that a screen that shows it by mistake is noticed. */
  device_user_reference: string
  email: string
  first_name: string
  surname: string
  group: string
  phone_number: string
  locale: 'en-GB' | 'pt-BR'
}

export interface DemoClient {
  client: string
  client_name: string
  groups: readonly { group_reference: string; tags: readonly { key: string; value: string }[] }[]
  tags?: readonly TagDefinition[]
  default_group: string
  people: readonly DemoPerson[]
}

const person = (
  device_user_reference: string,
  first_name: string,
  surname: string,
  group: string,
  phone_number: string,
  domain: string,
  locale: DemoPerson['locale'] = 'en-GB',
): DemoPerson => ({
  device_user_reference,
  email: `${first_name}.${surname}@${domain}`
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9.@]/g, ''),
  first_name,
  surname,
  group,
  phone_number,
  locale,
})

/** A tag that no group needs. */
const free = (tag_key: string, ...tag_values: string[]): TagDefinition => ({
  tag_key,
  tag_values,
  is_required: false,
  default_value: null,
})

export const DEMO_CLIENTS: readonly DemoClient[] = [
  {
    client: 'acme',
    client_name: 'Acme Capital',
    default_group: 'Unassigned',
    tags: [free('region', 'North', 'South'), free('desk', 'Advice', 'Trading')],
    groups: [
      { group_reference: 'North', tags: [{ key: 'region', value: 'North' }] },
      { group_reference: 'South', tags: [{ key: 'region', value: 'South' }] },
      { group_reference: 'Private Banking', tags: [{ key: 'desk', value: 'Advice' }] },
      { group_reference: 'Trading Desk', tags: [{ key: 'desk', value: 'Trading' }] },
      { group_reference: 'Unassigned', tags: [] },
    ],
    people: [
      person('AC-1042', 'Harriet', 'Cole', 'North', '+447700900101', 'acme.example'),
      person('AC-1057', 'Imran', 'Shah', 'North', '+447700900102', 'acme.example'),
      person('AC-1063', 'Molly', 'Pearce', 'North', '+447700900103', 'acme.example'),
      person('AC-1118', 'João', 'Almeida', 'South', '+5511955550104', 'acme.example', 'pt-BR'),
      person('AC-1124', 'Beatriz', 'Ramos', 'South', '+5511955550105', 'acme.example', 'pt-BR'),
      person('AC-1139', 'Oliver', 'Grant', 'Private Banking', '+447700900106', 'acme.example'),
      person('AC-1205', 'Sofia', 'Duarte', 'Private Banking', '+5511955550107', 'acme.example', 'pt-BR'),
      person('AC-1211', 'Marcus', 'Reid', 'Trading Desk', '+447700900108', 'acme.example'),
      person('AC-1230', 'Nadia', 'Volk', 'Trading Desk', '+447700900109', 'acme.example'),
    ],
  },
  {
    client: 'globex',
    client_name: 'Globex Brokers',
    default_group: 'Brokers',
    groups: [
      { group_reference: 'Brokers', tags: [] },
      { group_reference: 'Back Office', tags: [] },
    ],
    people: [
      person('GX-2004', 'Tom', 'Fletcher', 'Brokers', '+447700900201', 'globex.example'),
      person('GX-2017', 'Lívia', 'Matos', 'Brokers', '+5511955550202', 'globex.example', 'pt-BR'),
      person('GX-2031', 'Grace', 'Okoye', 'Back Office', '+447700900203', 'globex.example'),
    ],
  },
]

/** Settings for the demo's devices: account, roll-out code, people, and personal codes. */
export interface DemoEnrolment {
  account_reference: string
  enrolment: string
  people: readonly (DemoPerson & { enrolment?: string | undefined })[]
}
