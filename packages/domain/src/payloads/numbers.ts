import type { PayloadMeta } from '@custodia/contract'

export type PartyNumbers = {
  /** Our own numbers first, then the second parties', each once. */
  all: string[]
  second_party: string[]
  /** The two lists as the spec writes them, comma-delimited (section 3). */
  all_numbers: string
  second_party_numbers: string
}

/**
 * The numbers of a payload, for filters and for `all_numbers` / `second_party_numbers`. They are trimmed and
 * otherwise left as the phone gave them; withheld numbers are left out.
 */
export function partyNumbers(meta: PayloadMeta): PartyNumbers {
  const own = (meta.payload_carrier_metadata ?? []).map((sim) => sim.phone_number)
  const second_party = distinct(secondPartyNumbers(meta))
  const all = distinct([...own, ...second_party])
  return { all, second_party, all_numbers: delimited(all), second_party_numbers: delimited(second_party) }
}

function secondPartyNumbers(meta: PayloadMeta): (string | null)[] {
  if ('second_parties' in meta) return meta.second_parties.map((party) => party.phone_number)
  if ('message_parties' in meta) return meta.message_parties.map((party) => party.phone_number)
  if ('second_party' in meta) return [meta.second_party]
  return []
}

function distinct(numbers: readonly (string | null | undefined)[]): string[] {
  const trimmed = numbers.map((number) => number?.trim() ?? '')
  return [...new Set(trimmed.filter((number) => number !== ''))]
}

/** Networks send names as senders, too; a comma in one must not look like two numbers. */
function delimited(numbers: readonly string[]): string {
  return numbers.map((number) => number.replaceAll(',', ' ')).join(',')
}
