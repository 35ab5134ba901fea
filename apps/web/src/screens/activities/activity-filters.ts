import { actionsOf, api, type Endpoint } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import type { QueryOf } from '../../components/lists/call-search.ts'
import type { FilterOption, ListFilter } from '../../components/lists/list-definition.ts'
import { useGroupOptions } from '../../components/payloads/payload-choices.ts'
import { eitherOptions } from '../../components/words/spec-word.tsx'

type Caller = 'people' | 'devices'

/** Logged, though no call of the table needs them as a permission. */
const OTHER_ACTIONS = ['session:sign_in', 'session:refresh']
/** What the provider's staff do to a client stands in the client's log; their calls have a table of their own. */
const OF_THE_PROVIDER = [
  'internal.*',
  'internal.supportaccess:*',
  'internal.support_mode:*',
  'internal.alerts:*',
]

/** The actions that `caller` may be logged with. People's come with each noun's as a whole (`payloads:*`). */
function actionOptions(caller: Caller): readonly FilterOption[] {
  const rows = Object.values(api) as Endpoint[]
  const names =
    caller === 'devices'
      ? // Calls of phones need no permission: they are logged by their name.
        rows.filter(({ portal }) => portal === 'device').map(({ method, path }) => `${method} ${path}`)
      : [
          ...rows.filter(({ portal }) => portal !== 'device' && portal !== 'internal').flatMap(actionsOf),
          ...OTHER_ACTIONS,
        ]
          .flatMap((action) => [action, `${action.split(':')[0]}:*`])
          .concat(OF_THE_PROVIDER)
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1)).map((value) => ({ value, label: value }))
}

const cached = new Map<Caller, readonly FilterOption[]>()

type SharedFilter = ListFilter<keyof QueryOf<'listActivities'> & keyof QueryOf<'listDeviceActivities'>>

function actionFilter(caller: Caller): SharedFilter {
  const useOptions = () => {
    const options = cached.get(caller) ?? actionOptions(caller)
    cached.set(caller, options)
    return options
  }
  return { kind: 'choice', name: 'actions', label: msg`Action`, useOptions }
}

/** The filters that both logs have. */
export const sharedFilters = (caller: Caller): readonly SharedFilter[] => [
  {
    kind: 'search',
    name: 'search',
    label: msg`Search in parameters`,
    placeholder: msg`In parameters, 3 letters or more`,
  },
  {
    kind: 'choice',
    name: 'is_allowed',
    label: msg`Outcome`,
    useOptions: eitherOptions({ true: msg`Allowed`, false: msg`Denied or failed` }),
    isSingle: true,
  },
  actionFilter(caller),
  { kind: 'choice', name: 'groups', label: msg`Group`, useOptions: useGroupOptions },
  { kind: 'text', name: 'ip', label: msg`IP address`, placeholder: msg`Exactly as logged` },
]
