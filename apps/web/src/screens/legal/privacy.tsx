import { Trans, useLingui } from '@lingui/react/macro'
import { PublicLayout } from '../../components/frame/public-layout.tsx'
import { LegalPage, LegalSection } from './legal-page.tsx'

/** Privacy page for recorded people and reviewers. */
export function PrivacyScreen() {
  const { t } = useLingui()
  return (
    <PublicLayout>
      <LegalPage title={t`Privacy`}>
        <p>
          <Trans>
            Custodia is run by or for the organisation whose account you use. That organisation decides which
            phones record, why, and for how long, and answers questions about your data.
          </Trans>
        </p>
        <LegalSection title={<Trans>If your phone records</Trans>}>
          <p>
            <Trans>
              Depending on the services switched on for you, the archive holds calls, messages, interviews,
              photos, videos, positions and technical diagnostics, with their times, numbers and parties.
            </Trans>
          </p>
          <ul>
            <li>
              <Trans>
                Each recording is encrypted on the phone, with a key of its own, before it is sent.
              </Trans>
            </li>
            <li>
              <Trans>
                It is opened only to be checked on arrival and when an authorised person plays or downloads
                it.
              </Trans>
            </li>
            <li>
              <Trans>Every play and every download is written down with name and time.</Trans>
            </li>
          </ul>
        </LegalSection>
        <LegalSection title={<Trans>If you use this portal</Trans>}>
          <p>
            <Trans>
              Your name, roles and group come from your organisation’s identity provider. The portal keeps a
              record of what you do in it: the time, the call, your address and whether it was allowed. This
              record protects the people who are recorded, and you.
            </Trans>
          </p>
        </LegalSection>
        <LegalSection title={<Trans>Who sees what</Trans>}>
          <p>
            <Trans>
              Access is limited by role, by group and by type of recording. Staff of the provider see nothing
              of an account unless that account has approved it, for a limited time, and every step is on
              record.
            </Trans>
          </p>
        </LegalSection>
        <LegalSection title={<Trans>Your rights</Trans>}>
          <p>
            <Trans>
              You may ask your organisation what it holds about you, and have errors corrected. Where the law
              obliges it to keep recordings, they cannot be deleted before their time. You may also turn to
              your data protection authority.
            </Trans>
          </p>
        </LegalSection>
      </LegalPage>
    </PublicLayout>
  )
}
