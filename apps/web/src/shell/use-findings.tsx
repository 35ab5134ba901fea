import { useLingui } from '@lingui/react/macro'
import type { SpotlightActionData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { useProfile } from '../api/use-profile.ts'
import { listOf, type ScreenService, SERVICES } from '../components/payloads/services.ts'
import { screensOf, suggestionIn, useSuggestions } from '../components/payloads/suggestions.ts'
import { Icon } from '../ui/icon.tsx'
import { visible } from '../ui/visible.ts'
import type { Area } from './area.ts'
import { useFleetFindings } from './use-fleet-findings.tsx'

/**
 * What the command menu finds: single recordings by their reference, people and devices, the lists searched for what is typed, then those of
 * people and numbers that it may mean.
 */
export function useFindings(query: string, area: Area): readonly SpotlightActionData[] {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { actions } = useProfile()
  const sought = area.home === '/dashboard' ? query.trim() : ''
  const fleet = useFleetFindings(sought)
  const typed = actions.includes('payloads:list') ? sought : ''
  const suggestions = useSuggestions(typed)
  if (typed === '') return fleet

  const lists = Object.keys(SERVICES) as ScreenService[]
  const titleOf = (service: ScreenService) => i18n._(SERVICES[service].title)
  const searches = lists.map((service): SpotlightActionData => {
    const [sought, list] = [visible(typed), titleOf(service)]
    return {
      id: `search ${service}`,
      label: t`“${sought}” in ${list}`,
      leftSection: <Icon name="search" />,
      onClick: () => void navigate(listOf(service, { search: typed })),
    }
  })
  const found = suggestions.flatMap((suggestion) =>
    screensOf(suggestion).map((service) => {
      const { key, label, detail, icon, leads } = suggestionIn(suggestion, service, i18n)
      const target = 'target' in leads ? leads.target : listOf(service, leads.change)
      return {
        kind: suggestion.kind,
        action: {
          id: `${service} ${key}`,
          label,
          description: [detail, suggestion.kind === 'payload' ? undefined : titleOf(service)]
            .filter(Boolean)
            .join(' · '),
          leftSection: <Icon name={icon} />,
          onClick: () => void navigate(target),
        },
      }
    }),
  )
  const of = (isPayload: boolean) =>
    found.filter(({ kind }) => (kind === 'payload') === isPayload).map(({ action }) => action)
  return [...of(true), ...fleet, ...searches, ...of(false)]
}
