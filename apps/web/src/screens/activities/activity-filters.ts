import { type Locale, logSentence } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import type { QueryOf } from '../../components/lists/call-search.ts'
import type { FilterOption, ListFilter } from '../../components/lists/list-definition.ts'
import { useGroupOptions } from '../../components/payloads/payload-choices.ts'
import { eitherOptions } from '../../components/words/spec-word.tsx'
import { CALLS } from './calls.ts'

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
function actionNames(caller: Caller): readonly string[] {
  const names =
    caller === 'devices'
      ? // Calls of phones need no permission: they are logged by their name.
        CALLS.filter(({ portal }) => portal === 'device').map(({ logged }) => logged)
      : [
          ...CALLS.filter(({ portal }) => portal !== 'device' && portal !== 'internal').flatMap(
            ({ actions }) => actions,
          ),
          ...OTHER_ACTIONS,
        ]
          .flatMap((action) => [action, `${action.split(':')[0]}:*`])
          .concat(OF_THE_PROVIDER)
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1))
}

/** An action as its sentence says it, without who and what; those that stand for several by their spelling. */
function optionOf(value: string, locale: Locale): FilterOption {
  const stated = logSentence(value)?.[locale]
  if (stated === undefined) return { value, label: value }
  const label = stated.replace('{who} ', '').replaceAll(/\{\w+\}/g, '…')
  return { value, label: label[0]?.toLocaleUpperCase(locale) + label.slice(1), title: value }
}

const cached = new Map<string, readonly FilterOption[]>()

type SharedFilter = ListFilter<keyof QueryOf<'listActivities'> & keyof QueryOf<'listDeviceActivities'>>

function actionFilter(caller: Caller): SharedFilter {
  const useOptions = () => {
    const locale = useLingui().i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'
    const key = `${caller} ${locale}`
    const options = cached.get(key) ?? actionNames(caller).map((name) => optionOf(name, locale))
    cached.set(key, options)
    return options
  }
  return { kind: 'choice', name: 'actions', label: msg`Action`, useOptions }
}

/** The filters that both logs have. */
export const sharedFilters = (caller: Caller): readonly SharedFilter[] => [
  {
    kind: 'search',
    name: 'search',
    label: msg`Search details`,
    placeholder: msg`Search details`,
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
  { kind: 'text', name: 'ip', label: msg`IP address`, placeholder: msg`Original log entry` },
]
