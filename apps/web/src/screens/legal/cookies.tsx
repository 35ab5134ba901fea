import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { PublicLayout } from '../../components/frame/public-layout.tsx'
import { LegalPage, LegalSection } from './legal-page.tsx'

/** All cookies and storage keys of the portal. */
export function CookiesScreen() {
  const { t } = useLingui()
  return (
    <PublicLayout>
      <LegalPage title={t`Cookies`}>
        <p>
          <Trans>
            Custodia sets no cookies for advertising or for measuring visitors, and none for third parties.
            What it keeps in your browser serves only to sign you in and to remember how you like the portal.
          </Trans>
        </p>
        <LegalSection title={<Trans>Cookies</Trans>}>
          <KeptTable>
            <Kept name="locale" span={t`365 days`}>
              <Trans>The language that you chose.</Trans>
            </Kept>
            <Kept name={t`Session cookie`} span={t`Until you sign out or close the browser`}>
              <Trans>
                Half of what renews your session. Scripts cannot read it, other sites cannot send it.
              </Trans>
            </Kept>
          </KeptTable>
        </LegalSection>
        <LegalSection title={<Trans>Storage of this browser</Trans>}>
          <KeptTable>
            <Kept name="custodia.colour_mode" span={t`Until you clear it`}>
              <Trans>Light, dark, or like the system.</Trans>
            </Kept>
            <Kept name="custodia.account" span={t`Until you clear it`}>
              <Trans>The account that you signed in to last.</Trans>
            </Kept>
            <Kept name="custodia.single_keys" span={t`Until you clear it`}>
              <Trans>Whether single-key shortcuts are on.</Trans>
            </Kept>
            <Kept name="custodia.session" span={t`Until you sign out`}>
              <Trans>
                For all tabs: the account whose data is on screen, and the other half of what renews your
                session, useless without the cookie.
              </Trans>
            </Kept>
            <Kept name="custodia.client" span={t`While you sign in`}>
              <Trans>The account that a tab is signing in to.</Trans>
            </Kept>
          </KeptTable>
          <p>
            <Trans>
              Lists may also remember their columns and saved views here. None of it leaves your browser.
            </Trans>
          </p>
        </LegalSection>
        <LegalSection title={<Trans>How to remove them</Trans>}>
          <p>
            <Trans>
              Sign out to end the session. Everything else goes when you clear the data of this site in the
              settings of your browser. The portal works without it and asks again.
            </Trans>
          </p>
        </LegalSection>
      </LegalPage>
    </PublicLayout>
  )
}

function KeptTable({ children }: { children: ReactNode }) {
  return (
    <Table mb="sm" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            <Trans>Name</Trans>
          </Table.Th>
          <Table.Th>
            <Trans>Purpose</Trans>
          </Table.Th>
          <Table.Th>
            <Trans>Kept</Trans>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  )
}

/** Names exceed a third of the narrowest screens. */
const ANYWHERE = { overflowWrap: 'anywhere' } as const

const Kept = ({ name, span, children }: { name: string; span: string; children: ReactNode }) => (
  <Table.Tr>
    <Table.Td style={ANYWHERE}>
      <Code>{name}</Code>
    </Table.Td>
    <Table.Td style={ANYWHERE}>{children}</Table.Td>
    <Table.Td style={ANYWHERE}>{span}</Table.Td>
  </Table.Tr>
)
