import { type Locale, logSentence } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import type { QueryOf } from '../../components/lists/call-search.ts'
import type { FilterOption, ListFilter } from '../../components/lists/list-definition.ts'
import { useGroupOptions } from '../payloads/payload-choices.ts'
import { eitherOptions } from '../../components/words/spec-word.tsx'
import { CALLS } from './calls.ts'

type Caller = 'people' | 'devices'

/** Logged actions without a permission of their own. */
const OTHER_ACTIONS = ['session:sign_in', 'session:refresh']
/** Staff actions on a client are in the client's log, but in another endpoint table. */
const OF_THE_PROVIDER = [
  'internal.*',
  'internal.supportaccess:*',
  'internal.support_mode:*',
  'internal.alerts:*',
]

/** Actions that a log of `caller` may contain. For people also each whole noun (`payloads:*`). */
function actionNames(caller: Caller): readonly string[] {
  const names =
    caller === 'devices'
      ? // Device calls need no permission; the log has their names.
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

/** Label of an action without subject and object; patterns show their code. */
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

/** Filters of both logs. */
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
