import { useLingui } from '@lingui/react/macro'
import { Combobox, Group, Text, useCombobox } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactElement, useEffect, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { ListSuggestion } from './list-definition.ts'
import type { ListSearch } from './list-search.ts'

/** Key and blur handlers of a search field. */
export interface FieldKeys {
  onKeyDown: (event: KeyboardEvent) => void
  onBlur?: () => void
}

/** Suggestions below a search field: arrows choose, Enter accepts, Escape closes. Without a choice the field's own keys work. */
export function SearchSuggestions({
  label,
  typed,
  useSuggestions,
  onChoose,
  field,
  keys,
}: {
  label: string
  /** Undefined: no typing since the last choice or focus. */
  typed: string | undefined
  useSuggestions: (typed: string) => readonly ListSuggestion[]
  /** Filters of the choice; absent: navigated elsewhere. */
  onChoose: (change?: ListSearch) => void
  /** Renders the field with the given handlers. */
  field: (keys: FieldKeys) => ReactElement
  keys: FieldKeys
}) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const suggestions = useSuggestions(typed ?? '')
  const [closed, setClosed] = useState<string>()
  const isOpen = typed !== undefined && closed !== typed && suggestions.length > 0
  const combobox = useCombobox({ opened: isOpen })
  const { resetSelectedOption } = combobox
  const shown = suggestions.map(({ key }) => key).join('\n')
  useEffect(resetSelectedOption, [shown, resetSelectedOption])

  const choose = (key: string) => {
    const leads = suggestions.find((suggestion) => suggestion.key === key)?.leads
    if (leads === undefined) return
    setClosed(typed)
    if ('change' in leads) return onChoose(leads.change)
    onChoose()
    void navigate(leads.target)
  }
  const own: FieldKeys = {
    onKeyDown: (event) => {
      if (isOpen && event.key === 'Escape') {
        // Escape closes the suggestions only; the list must not handle it too.
        event.preventDefault()
        setClosed(typed)
      } else if (!(isOpen && event.key === 'Enter' && combobox.getSelectedOptionIndex() !== -1)) {
        if (event.key === 'Enter') setClosed(typed)
        keys.onKeyDown(event)
      }
    },
    onBlur: () => setClosed(typed),
  }
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      width={340}
      withinPortal={false}
      onOptionSubmit={choose}
    >
      <Combobox.Target withExpandedAttribute>{field(own)}</Combobox.Target>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options aria-label={t`Suggestions for ${label}`}>
          {suggestions.map(({ key, label: name, detail, icon }) => (
            <Combobox.Option key={key} value={key} onMouseDown={(event) => event.preventDefault()}>
              <Group gap={8} wrap="nowrap">
                <Icon name={icon} size={15} />
                <Text span size="sm" truncate title={name}>
                  {name}
                </Text>
                {detail !== undefined && (
                  <Text span size="sm" c="dimmed" ml="auto" style={{ whiteSpace: 'nowrap' }}>
                    {detail}
                  </Text>
                )}
              </Group>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}
