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
            Your organisation runs Custodia, or has it run. It decides which phones record, why and for how
            long, and answers questions about your data.
          </Trans>
        </p>
        <LegalSection title={<Trans>If your phone records</Trans>}>
          <p>
            <Trans>
              Depending on your services, the archive holds calls, messages, interviews, photos, videos,
              positions and technical diagnostics, with times, numbers and parties.
            </Trans>
          </p>
          <ul>
            <li>
              <Trans>The phone encrypts each recording with its own key before sending it.</Trans>
            </li>
            <li>
              <Trans>
                The archive opens it only to check it on arrival and when an authorised person plays or
                downloads it.
              </Trans>
            </li>
            <li>
              <Trans>Every playback and download is logged with name and time.</Trans>
            </li>
          </ul>
        </LegalSection>
        <LegalSection title={<Trans>If you use this portal</Trans>}>
          <p>
            <Trans>
              Your name, roles and group come from your organisation’s identity provider. The portal logs what
              you do: time, action, IP address and result. This log protects the people recorded, and you.
            </Trans>
          </p>
        </LegalSection>
        <LegalSection title={<Trans>Who sees what</Trans>}>
          <p>
            <Trans>
              Roles, groups and recording types limit access. The provider’s staff see an account only after
              it approves, for a limited time, and every step is logged.
            </Trans>
          </p>
        </LegalSection>
        <LegalSection title={<Trans>Your rights</Trans>}>
          <p>
            <Trans>
              You may ask your organisation what data it holds about you and have errors corrected. Recordings
              that the law requires cannot be deleted early. You may also contact your data protection
              authority.
            </Trans>
          </p>
        </LegalSection>
      </LegalPage>
    </PublicLayout>
  )
}
