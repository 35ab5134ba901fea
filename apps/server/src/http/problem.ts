import { type Endpoint, type Fault, type ProblemCode, PROBLEMS } from '@custodia/contract'
import type { LoggedCaller, PortalContext } from './context.ts'

/** A refusal of a call: a code of the contract's catalogue, never free text. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly faults: readonly Fault[]
  /** The reason, for the log and, after the code, the audit entry (`message`); never sent. */
  readonly detail: string | undefined
  /** The refused person, when known: the audit log of their client gets the entry. */
  readonly caller: LoggedCaller | undefined

  constructor(
    code: ProblemCode,
    options: { faults?: readonly Fault[]; detail?: string; caller?: LoggedCaller } = {},
  ) {
    super(options.detail ? `${code}: ${options.detail}` : code)
    this.name = 'Problem'
    this.code = code
    this.faults = options.faults ?? []
    this.detail = options.detail
    this.caller = options.caller
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }
}

/** Nouns whose records a caller may see without being permitted every act on them. */
type Noun = 'devices' | 'devices.enrolments' | 'groups' | 'payloads' | 'users'
type Place = Parameters<PortalContext['caller']['access']['permits']>[1]

/** Whether the caller may read records of a noun at a place. */
export const maySee = (
  { permits }: Pick<PortalContext['caller']['access'], 'permits'>,
  noun: Noun,
  place: Place,
): boolean => permits(`${noun}:read`, place) || permits(`${noun}:list`, place)

/**
 * Why an act on a record is refused: not_permitted on one that the caller may read, otherwise not_found, as for a
 * record that does not exist.
 * @param noun absent for reads
 */
export function refusalOf(
  { action, caller }: Pick<PortalContext, 'action' | 'caller'>,
  found: Place | undefined,
  noun?: Noun,
): Problem {
  if (found && noun !== undefined && maySee(caller.access, noun, found))
    return new Problem('not_permitted', { detail: `no role permits ${action} in its group` })
  return new Problem('not_found', { detail: found ? 'not visible to the caller' : 'no such record' })
}

/** A record of the caller's reach. Problems: as `refusalOf`. */
export function withinReach<Found extends { group_id: number }>(
  context: Pick<PortalContext, 'action' | 'caller'>,
  found: Found | undefined,
  noun?: Noun,
): Found {
  if (found && context.caller.access.permits(context.action, found)) return found
  throw refusalOf(context, found, noun)
}

/** Body of a problem answer (reading-the-spec: wire conventions). */
interface ProblemBody {
  error_code: number
  message: string
  code: ProblemCode
  path?: string
  errors?: readonly Fault[]
  request_id: string
}

/** The body of a problem response. */
export function problemBody(problem: Problem, request_id: string): ProblemBody {
  const [first] = problem.faults
  return {
    error_code: problem.status,
    message: first
      ? first.path
        ? `${first.path}: ${first.message}`
        : first.message
      : PROBLEMS[problem.code]['en-GB'],
    code: problem.code,
    ...(first ? { path: first.path, errors: problem.faults } : {}),
    request_id,
  }
}

/** Problems that any call may return. */
const ANY: readonly ProblemCode[] = ['too_many_requests', 'internal', 'unavailable']

/** Problems that any call of a kind may return. */
const COMMON: Readonly<Record<Endpoint['authentication'], readonly ProblemCode[]>> = {
  none: ['invalid_input'],
  address: ['invalid_input', 'address_expired'],
  portal: [
    'invalid_input',
    'authentication_required',
    'session_ended',
    'terms_required',
    'not_permitted',
    'network_not_permitted',
    'support_mode_ended',
    'not_found',
  ],
  device: ['invalid_input', 'device_authentication_required'],
}

/** Problems of any call with a JSON body. */
const OF_BODY: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type']

/** All problems of a call: those of every call of its kind, and those that it declares. */
export const getProblems = (endpoint: Endpoint): readonly ProblemCode[] => [
  ...COMMON[endpoint.authentication],
  ...(endpoint.body ? OF_BODY : []),
  ...(endpoint.problems ?? []),
  ...ANY,
]
