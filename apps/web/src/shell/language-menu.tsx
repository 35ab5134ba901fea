import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { switchLocale } from '../i18n/i18n.ts'
import { type Locale, LOCALES } from '../i18n/locale.ts'
import { Icon } from '../ui/icon.tsx'

/** Each language in its own words, so that its readers find it. */
export const LANGUAGE_NAMES: Record<Locale, string> = { 'en-GB': 'English', 'pt-BR': 'Português (Brasil)' }

/** Switches the language in place and rewrites the address when it carries a prefix. */
export function useSwitchLanguage(): (locale: Locale) => Promise<void> {
  const router = useRouter()
  return async (locale) => {
    await switchLocale(locale)
    await router.navigate({ to: '.', search: true, hash: true, replace: true, resetScroll: false })
  }
}

export function LanguageMenu() {
  const { t, i18n } = useLingui()
  const switchLanguage = useSwitchLanguage()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label={t`Language`}>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={t`Language`}>
            <Icon name="globe" />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {LOCALES.map((locale) => (
          <Menu.Item
            key={locale}
            lang={locale}
            role="menuitemradio"
            aria-checked={i18n.locale === locale}
            rightSection={i18n.locale === locale ? <Icon name="check" size={14} /> : null}
            onClick={() => void switchLanguage(locale)}
          >
            {LANGUAGE_NAMES[locale]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
