/** How many payloads of each kind an account of the demo gets. */
export interface Amounts {
  callsPerPerson: number
  conferences: number
  intermittent: number
  blocked: number
  aborted: number
  interviews: number
  photos: number
  videos: number
  diagnostics: number
  /** Calls that are older than a week when they arrive. */
  late: number
  /** 1: all conversations, 3: every third. */
  everyConversation: number
  /** Whether it shows an upload that was tampered with and one that a scanner reports. */
  hasFailures: boolean
}

const LARGE: Amounts = {
  callsPerPerson: 3,
  conferences: 3,
  intermittent: 2,
  blocked: 3,
  aborted: 3,
  interviews: 4,
  photos: 4,
  videos: 2,
  diagnostics: 2,
  late: 2,
  everyConversation: 1,
  hasFailures: true,
}
const SMALL: Amounts = {
  callsPerPerson: 2,
  conferences: 1,
  intermittent: 1,
  blocked: 1,
  aborted: 1,
  interviews: 1,
  photos: 2,
  videos: 1,
  diagnostics: 1,
  late: 1,
  everyConversation: 3,
  hasFailures: false,
}

/** People from which on an account counts as large. */
const LARGE_FROM = 5

export const amountsFor = (people: number): Amounts => (people >= LARGE_FROM ? LARGE : SMALL)
