import { Trans, useLingui } from '@lingui/react/macro'
import { lazy, Suspense } from 'react'
import { session } from '../../api/current-session.ts'
import { LegalPage, LegalSection } from './legal-page.tsx'

const AcceptTerms = lazy(() => import('./accept-terms.tsx'))

/** Text of the terms. Users who have not accepted this version see the question below. */
export function TermsScreen() {
  const { t } = useLingui()
  return (
    <>
      <main id="main" tabIndex={-1}>
        <LegalPage title={t`Terms of use`}>
          <p>
            <Trans>
              These terms apply to everyone who signs in to Custodia. Your organisation’s own rules may ask
              for more.
            </Trans>
          </p>
          <LegalSection title={<Trans>1. Purpose</Trans>}>
            <p>
              <Trans>
                Use the portal only for the work that your access was given for. Do not open recordings out of
                curiosity or for other people.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>2. Confidentiality</Trans>}>
            <p>
              <Trans>
                Everything that you see and hear is confidential. A downloaded recording leaves the archive’s
                protection: keep it encrypted, share it only with authorised people, and delete it after use.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>3. Your access</Trans>}>
            <p>
              <Trans>
                Your sign-in is personal. Lock your screen when you leave. Report suspected misuse to your
                administrator at once.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>4. Records of use</Trans>}>
            <p>
              <Trans>
                The portal logs everything that you do, including refused attempts. Your organisation’s
                auditors read these logs. They cannot be switched off.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>5. Fair use</Trans>}>
            <p>
              <Trans>
                Do not circumvent limits, read what your roles do not allow, or overload the service. Report
                any weakness that you find; do not use it.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>6. End of access</Trans>}>
            <p>
              <Trans>
                Your organisation can change or end your access at any time. Your duty of confidentiality
                remains.
              </Trans>
            </p>
          </LegalSection>
        </LegalPage>
      </main>
      {session.isSignedIn() && (
        <Suspense>
          <AcceptTerms />
        </Suspense>
      )}
    </>
  )
}
