/** Number of payloads per type in a demo account. */
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
  /** Calls that arrive more than a week late. */
  late: number
  /** 1: all conversations, 3: every third. */
  everyConversation: number
  /** Whether it contains a tampered upload and one with a virus test file. */
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

/** Number of people from which an account is large. */
const LARGE_FROM = 5

export const amountsFor = (people: number): Amounts => (people >= LARGE_FROM ? LARGE : SMALL)
