import { Trans, useLingui } from '@lingui/react/macro'
import { Code } from '@mantine/core'
import { PublicLayout } from '../../components/frame/public-layout.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { LegalPage, LegalSection } from './legal-page.tsx'

/** All cookies and storage keys of the portal. */
export function CookiesScreen() {
  const { t } = useLingui()
  return (
    <PublicLayout>
      <LegalPage title={t`Cookies`}>
        <p>
          <Trans>
            Custodia sets no advertising, tracking or third-party cookies. Your browser stores only your
            sign-in and your portal preferences.
          </Trans>
        </p>
        <LegalSection title={<Trans>Cookies</Trans>}>
          <KeptTable
            caption={t`Cookies`}
            rows={[
              { name: 'locale', purpose: t`Your language.`, kept: t`365 days` },
              {
                name: t`Session cookie`,
                purpose: t`Half of your session renewal key. Scripts cannot read it; other sites cannot send it.`,
                kept: t`Until you sign out or close the browser`,
              },
            ]}
          />
        </LegalSection>
        <LegalSection title={<Trans>Browser storage</Trans>}>
          <KeptTable
            caption={t`Browser storage`}
            rows={[
              {
                name: 'custodia.colour_mode',
                purpose: t`Light, dark or system colours.`,
                kept: t`Until you clear it`,
              },
              {
                name: 'custodia.account',
                purpose: t`The account of your last sign-in.`,
                kept: t`Until you clear it`,
              },
              {
                name: 'custodia.single_keys',
                purpose: t`Your choice about single-key shortcuts.`,
                kept: t`Until you clear it`,
              },
              {
                name: 'custodia.session',
                purpose: t`For all tabs: the account on screen, and the second half of your session renewal key. It is useless without the cookie.`,
                kept: t`Until you sign out`,
              },
              {
                name: 'custodia.client',
                purpose: t`The account that a tab signs in to.`,
                kept: t`During sign-in`,
              },
            ]}
          />
          <p>
            <Trans>Lists may also store columns and saved views. None of it leaves your browser.</Trans>
          </p>
        </LegalSection>
        <LegalSection title={<Trans>How to remove them</Trans>}>
          <p>
            <Trans>
              Sign out to end the session. Clear this site’s data in your browser to remove the rest. The
              portal works without it.
            </Trans>
          </p>
        </LegalSection>
      </LegalPage>
    </PublicLayout>
  )
}

interface Kept {
  name: string
  purpose: string
  kept: string
}

function KeptTable({ caption, rows }: { caption: string; rows: readonly Kept[] }) {
  const { t } = useLingui()
  return (
    <DataTable
      caption={caption}
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { label: t`Name`, width: '34%', cell: ({ name }) => <Code>{name}</Code> },
        { label: t`Purpose`, cell: ({ purpose }) => purpose },
        { label: t`Kept`, width: '22%', cell: ({ kept }) => kept },
      ]}
    />
  )
}
