import type { DemoPerson } from './demo-account.ts'

/** A contact of the demo's people. Numbers are from ranges reserved for fiction, or unassigned. */
export interface Contact {
  phone_number: string
  contact_name: string | null
}

const british = (last: number, contact_name: string | null): Contact => ({
  phone_number: `+447700900${last}`,
  contact_name,
})
const brazilian = (last: number, contact_name: string | null): Contact => ({
  phone_number: `+55119555507${last}`,
  contact_name,
})

export const CONTACTS: Readonly<Record<DemoPerson['locale'], readonly Contact[]>> = {
  'en-GB': [
    british(501, 'Elena Rossi'),
    british(502, 'Charles Whitcombe'),
    british(503, 'Daniel Achebe'),
    british(504, 'Priya Nair'),
    british(505, 'Kurt Lang'),
    british(506, 'Samira Haddad'),
    { phone_number: '+442079460507', contact_name: 'Helvia Asset Management' },
    { phone_number: '+442079460508', contact_name: null },
    british(509, 'Peter Jansen'),
    british(510, null),
  ],
  'pt-BR': [
    brazilian(11, 'Carla Nogueira'),
    brazilian(12, 'Rogério Pinto'),
    brazilian(13, 'Helena Vasconcelos'),
    brazilian(14, 'Paulo Teixeira'),
    brazilian(15, 'Fernanda Lopes'),
    brazilian(16, null),
    { phone_number: '+551155550717', contact_name: 'Corretora Ipê' },
  ],
}
