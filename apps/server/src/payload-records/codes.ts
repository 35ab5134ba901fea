import {
  PAYLOAD_STATES,
  PAYLOAD_TYPES,
  type PayloadState,
  type PayloadType,
  SERVICES,
  type Service,
  getService,
} from '@custodia/contract'

// Codes of states, types and services in the database: small numbers, because every index contains them. The
// tables payload_states and payload_types have the same codes; codes.test.ts compares.

/** `payloads.state`. */
export const STATE_CODES = {
  NotRecorded: 1,
  Recorded: 2,
  Uploaded: 3,
  Scanning: 4,
  Processed: 5,
  Quarantined: 6,
  Failed: 7,
  Transferred: 8,
  Deleted: 9,
  Destroyed: 10,
} as const satisfies Record<PayloadState, number>

/** `payloads.type`. */
export const TYPE_CODES = {
  Call: 1,
  AbortedCall: 2,
  BlockedCall: 3,
  SMS: 4,
  MMS: 5,
  RCS: 6,
  Interview: 7,
  Photo: 8,
  Video: 9,
  Diagnostics: 10,
} as const satisfies Record<PayloadType, number>

/** `payloads.service`. */
export const SERVICE_CODES = {
  calls: 1,
  messages: 2,
  interviews: 3,
  photos: 4,
  videos: 5,
  diagnostics: 6,
} as const satisfies Record<Service, number>

const STATES = inverse(STATE_CODES, PAYLOAD_STATES)
/** Types of payloads as the database knows them. */
export const getCodes = (types: readonly PayloadType[]): number[] => types.map((type) => TYPE_CODES[type])

const TYPES = inverse(TYPE_CODES, PAYLOAD_TYPES)
const SERVICE_NAMES = inverse(SERVICE_CODES, SERVICES)

/** The state of a code. Throws on an unknown code. */
export const stateOfCode = (code: number): PayloadState => known(STATES, code, 'state')
/** As `stateOfCode`, for an optional state. */
export const stateIfAny = (code: number | null): PayloadState | null =>
  code === null ? null : stateOfCode(code)
/** The type of a code. Throws on an unknown code. */
export const typeOfCode = (code: number): PayloadType => known(TYPES, code, 'type')
/** The service of a code. Throws on an unknown code. */
export const serviceOfCode = (code: number): Service => known(SERVICE_NAMES, code, 'service')
/** The code of the service whose screen shows a payload type. */
export const getServiceCode = (type: PayloadType): number => SERVICE_CODES[getService(type)]

function inverse<Name extends string>(
  codes: Readonly<Record<Name, number>>,
  names: readonly Name[],
): ReadonlyMap<number, Name> {
  return new Map(names.map((name) => [codes[name], name]))
}

function known<Name>(names: ReadonlyMap<number, Name>, code: number, what: string): Name {
  const name = names.get(code)
  if (name === undefined) throw new Error(`unknown payload ${what} code ${code}`)
  return name
}
