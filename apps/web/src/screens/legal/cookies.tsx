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
            Custodia sets no advertising, tracking or third-party cookies. Your browser stores only your
            sign-in and your portal preferences.
          </Trans>
        </p>
        <LegalSection title={<Trans>Cookies</Trans>}>
          <KeptTable>
            <Kept name="locale" span={t`365 days`}>
              <Trans>Your language.</Trans>
            </Kept>
            <Kept name={t`Session cookie`} span={t`Until you sign out or close the browser`}>
              <Trans>
                Half of your session renewal key. Scripts cannot read it; other sites cannot send it.
              </Trans>
            </Kept>
          </KeptTable>
        </LegalSection>
        <LegalSection title={<Trans>Browser storage</Trans>}>
          <KeptTable>
            <Kept name="custodia.colour_mode" span={t`Until you clear it`}>
              <Trans>Light, dark or system colours.</Trans>
            </Kept>
            <Kept name="custodia.account" span={t`Until you clear it`}>
              <Trans>The account of your last sign-in.</Trans>
            </Kept>
            <Kept name="custodia.single_keys" span={t`Until you clear it`}>
              <Trans>Your choice about single-key shortcuts.</Trans>
            </Kept>
            <Kept name="custodia.session" span={t`Until you sign out`}>
              <Trans>
                For all tabs: the account on screen, and the second half of your session renewal key. It is
                useless without the cookie.
              </Trans>
            </Kept>
            <Kept name="custodia.client" span={t`During sign-in`}>
              <Trans>The account that a tab signs in to.</Trans>
            </Kept>
          </KeptTable>
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
