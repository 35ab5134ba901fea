import { LOCALES } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Menu, Text, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signOut } from '../api/sign-in.ts'
import { useMay, useProfile } from '../api/use-profile.ts'
import { COLOUR_MODES, LANGUAGE_NAMES, useSwitchLanguage } from '../components/frame/frame-parts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useDropdownFocus } from '../ui/use-focus.ts'
import { UserButton } from './user-button.tsx'

/** User, sign-out, and on narrow screens the top bar's hidden items. */
export default function UserMenuDropdown({
  onMyAccess,
  onShortcuts,
}: {
  onMyAccess: () => void
  onShortcuts: () => void
}) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(true)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const profile = useProfile()
  const may = useMay()
  return (
    <Menu position="bottom-end" width={260} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <UserButton ref={target} />
      </Menu.Target>
      <Menu.Dropdown ref={dropdown}>
        <Menu.Label>
          <Text fw={650} c="var(--mantine-color-text)" truncate>
            {profile.user_reference}
          </Text>
          <Text size="xs">{profile.client_name}</Text>
          <Text size="xs">{profile.roles.length > 0 ? profile.roles.join(', ') : t`No roles`}</Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="key" size={16} />} onClick={onMyAccess}>
          <Trans>My access</Trans>
        </Menu.Item>
        {may('alerts:read') && profile.support === null && (
          <Menu.Item
            leftSection={<Icon name="bell" size={16} />}
            renderRoot={(props) => <Link {...props} to="/dashboard/account/alert-mails" />}
          >
            <Trans>Email alerts</Trans>
          </Menu.Item>
        )}
        <NarrowItems onShortcuts={onShortcuts} />
        <Menu.Divider hiddenFrom="sm" />
        <Menu.Item
          leftSection={<Icon name="info" size={16} />}
          renderRoot={(props) => <Link {...props} to="/privacy" />}
        >
          <Trans>Privacy</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="sign-out" size={16} />} onClick={() => void signOut()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Items of the top bar that narrow screens have no room for. */
function NarrowItems({ onShortcuts }: { onShortcuts: () => void }) {
  const { i18n } = useLingui()
  const switchLanguage = useSwitchLanguage()
  const { setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Item hiddenFrom="sm" leftSection={<Icon name="keyboard" size={16} />} onClick={onShortcuts}>
        <Trans>Keyboard shortcuts</Trans>
      </Menu.Item>
      {LOCALES.filter((locale) => locale !== i18n.locale).map((locale) => (
        <Menu.Item
          key={locale}
          lang={locale}
          hiddenFrom="sm"
          leftSection={<Icon name="globe" size={16} />}
          onClick={() => void switchLanguage(locale)}
        >
          {LANGUAGE_NAMES[locale]}
        </Menu.Item>
      ))}
      {COLOUR_MODES.map(({ mode, label, icon }) => (
        <Menu.Item
          key={mode}
          hiddenFrom="sm"
          leftSection={<Icon name={icon} size={16} />}
          onClick={() => setColorScheme(mode)}
        >
          {i18n._(label)}
        </Menu.Item>
      ))}
    </>
  )
}
