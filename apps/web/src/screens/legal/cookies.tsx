import { Trans, useLingui } from '@lingui/react/macro'
import { Code } from '@mantine/core'
import { PublicLayout } from '../../components/frame/public-layout.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { LegalPage, LegalSection } from './legal-page.tsx'

/** All cookies and storage keys of the portal. */
export function CookiesScreen() {
  const { t } = useLingui()
  const always = t`Until you clear it`
  const tab = t`Until you close the tab`
  return (
    <PublicLayout>
      <LegalPage title={t`Cookies`}>
        <p>
          <Trans>
            Custodia sets no advertising, tracking or third-party cookies. Your browser stores only your
            sign-in, your portal preferences and your place in a list.
          </Trans>
        </p>
        <LegalSection title={<Trans>Cookies</Trans>}>
          <KeptTable
            caption={t`Cookies`}
            rows={[
              { names: ['locale'], purpose: t`Your language.`, kept: t`365 days` },
              {
                names: [t`Session cookie`],
                purpose: t`Half of your session renewal key. Scripts cannot read it; other sites cannot send it.`,
                kept: t`Until you sign out or close the browser`,
              },
              {
                names: [t`Sign-in cookie`],
                purpose: t`Ties a sign-in to the browser that started it.`,
                kept: t`During sign-in`,
              },
            ]}
          />
        </LegalSection>
        <LegalSection title={<Trans>Browser storage</Trans>}>
          <KeptTable
            caption={t`Browser storage`}
            rows={[
              {
                names: ['custodia.session'],
                purpose: t`For all tabs: the account on screen, and the second half of your session renewal key. It is useless without the cookie.`,
                kept: t`Until you sign out`,
              },
              {
                names: ['custodia.account'],
                purpose: t`The account of your last sign-in.`,
                kept: always,
              },
              {
                names: ['custodia.actions'],
                purpose: t`Your permissions, so that pages open sooner.`,
                kept: t`Until you sign out`,
              },
              {
                names: ['custodia.colour_mode', 'custodia.single_keys', 'custodia.collapsed_sections'],
                purpose: t`Your choices of colours, single-key shortcuts and folded navigation.`,
                kept: always,
              },
              {
                names: ['custodia.lists.…'],
                purpose: t`Columns, saved views and panel width of your lists.`,
                kept: always,
              },
              {
                names: [
                  'custodia.playback_speed',
                  'custodia.playback_volume',
                  'custodia.skip_silence',
                  'custodia.plays_on.…',
                ],
                purpose: t`Your choices in the player.`,
                kept: always,
              },
              {
                names: ['custodia.migration-upload …'],
                purpose: t`Name, size and time of a file that you upload for a migration, to resume the upload.`,
                kept: t`Until the upload ends`,
              },
              {
                names: [
                  'custodia.client',
                  'custodia.return_to',
                  'custodia.accepts_terms',
                  'custodia.sign_in_window',
                ],
                purpose: t`The account, page and terms of a sign-in in progress.`,
                kept: t`During sign-in`,
              },
              {
                names: ['custodia.user', 'custodia.review_queue', 'custodia.open_row'],
                purpose: t`The list that you work through, with its filters, and your place in it.`,
                kept: tab,
              },
              {
                names: ['custodia.session_end_notice', 'custodia.reloads', 'tanstack_router_reload:…'],
                purpose: t`That the end of the session was announced, or that a page was reloaded after an update.`,
                kept: tab,
              },
            ]}
          />
          <p>
            <Trans>None of it leaves your browser, except the key when your session is renewed.</Trans>
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

interface CookieRow {
  names: readonly string[]
  purpose: string
  kept: string
}

function KeptTable({ caption, rows }: { caption: string; rows: readonly CookieRow[] }) {
  const { t } = useLingui()
  return (
    <DataTable
      caption={caption}
      rows={rows}
      getKey={({ names }) => names.join(' ')}
      columns={[
        {
          label: t`Name`,
          width: '34%',
          cell: ({ names }) =>
            names.map((name) => (
              <Code key={name} display="block" w="fit-content">
                {name}
              </Code>
            )),
        },
        { label: t`Purpose`, cell: ({ purpose }) => purpose },
        { label: t`Kept`, width: '22%', cell: ({ kept }) => kept },
      ]}
    />
  )
}
