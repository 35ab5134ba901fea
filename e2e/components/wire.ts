import { test as base, expect, type Page, type Route } from '@playwright/test'
import {
  getActions,
  type Answer,
  api,
  type Api,
  type Endpoint,
  type Fault,
  fullPath,
  type ProblemCode,
  PROBLEMS,
} from '../../packages/contract/src/index.ts'
import { painted } from '../painted.ts'

type Call = keyof Api & string

/** Input of a call. */
interface CallInput {
  call: Call
  query: URLSearchParams
  headers: Readonly<Record<string, string>>
  body: unknown
}
type Answers = { [Name in Call]?: (asked: CallInput) => Answer<Api[Name]> | Refusal }

class Refusal {
  readonly code: ProblemCode
  readonly errors: readonly Fault[] | undefined
  constructor(code: ProblemCode, errors?: readonly Fault[]) {
    this.code = code
    this.errors = errors
  }
}

/** An error response, with faults at fields where given. */
export const refused = (code: ProblemCode, ...errors: Fault[]) =>
  new Refusal(code, errors.length > 0 ? errors : undefined)

const ROWS = Object.entries(api as Readonly<Record<string, Endpoint>>)
  .map(([call, row]) => ({
    call: call as Call,
    method: row.method,
    path: new RegExp(`^${fullPath(row).replace(/\{\w+\}/g, '[^/]+')}$`),
    parameters: fullPath(row).split('{').length,
  }))
  // Exact names before wildcards.
  .toSorted((a, b) => a.parameters - b.parameters)

const PROFILE: Answer<Api['readProfile']> = {
  user_reference: 'alice',
  client: 'acme',
  client_name: 'Acme Capital',
  actions: Object.values(api as Readonly<Record<string, Endpoint>>).flatMap(getActions),
  groups: null,
  payload_types: ['Call'],
  roles: ['Administrator'],
  unknown_roles: [],
  user_group: null,
  contact: null,
  reasons: null,
  portal_config: {},
  terms: { version: '1', accepted_at: 1 },
  session_expires_at: 4_000_000_000,
  is_provider: false,
  support: null,
}

/** Mock server: the test answers every call of a scene in the contract's shape. */
export interface Wire {
  answers: Answers
  /** Number of calls of that name. */
  asked: (call: Call) => CallInput[]
  /** Opens a scene of the stage; its address may have a search. */
  show: (scene: string) => Promise<void>
  /** Removes these permissions from the user. */
  without: (...actions: string[]) => void
}

async function makeWire(page: Page): Promise<Wire & { surprises: string[] }> {
  const calls: CallInput[] = []
  const surprises: string[] = []
  const denied = new Set<string>()
  const wire: Wire & { surprises: string[] } = {
    answers: {
      readProfile: () => ({ ...PROFILE, actions: PROFILE.actions.filter((action) => !denied.has(action)) }),
    },
    surprises,
    asked: (call) => calls.filter((each) => each.call === call),
    async show(scene) {
      await page.goto(`/${scene}`)
      await painted(page)
    },
    without: (...actions) => actions.forEach((action) => denied.add(action)),
  }
  const answer = async (route: Route) => {
    const request = route.request()
    const { pathname, searchParams } = new URL(request.url())
    const row = ROWS.find(({ method, path }) => method === request.method() && path.test(pathname))
    const asked: CallInput | undefined = row && {
      call: row.call,
      query: searchParams,
      headers: request.headers(),
      body: request.postDataJSON() as unknown,
    }
    const found = asked && wire.answers[asked.call]?.(asked)
    if (asked === undefined || found === undefined) {
      surprises.push(`${request.method()} ${pathname}`)
      return route.fulfill({ status: 404, json: { error_code: 404, message: 'no mock for this call' } })
    }
    calls.push(asked)
    if (!(found instanceof Refusal)) return route.fulfill({ json: found })
    const { status, 'en-GB': message } = PROBLEMS[found.code]
    return route.fulfill({
      status,
      json: { error_code: status, code: found.code, message, errors: found.errors, request_id: 'r' },
    })
  }
  await page.route(/\/(?:admin|client)\/v1\//, answer)
  return wire
}

export const test = base.extend<{ wire: Wire }>({
  wire: async ({ page }, use) => {
    const wire = await makeWire(page)
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message))
    await use(wire)
    expect(wire.surprises, 'calls without a mock').toEqual([])
    expect(errors, 'errors on the page').toEqual([])
  },
})
export { expect }
