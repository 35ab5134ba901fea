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
              These terms apply to everyone who signs in to Custodia. They stand beside the rules of your
              organisation, which may ask for more.
            </Trans>
          </p>
          <LegalSection title={<Trans>1. Purpose</Trans>}>
            <p>
              <Trans>
                Use the portal only for the work that your organisation gave you access for. Do not look up,
                listen to or read recordings out of curiosity, or for anybody else.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>2. Confidentiality</Trans>}>
            <p>
              <Trans>
                What you see and hear is confidential. A downloaded recording leaves the protection of the
                archive: keep it encrypted, share it only with those entitled to it, and delete it when the
                work is done.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>3. Your access</Trans>}>
            <p>
              <Trans>
                Your sign-in is yours alone. Lock your screen when you leave it, and tell your administrator
                at once when you believe that somebody else has used your access.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>4. Records of use</Trans>}>
            <p>
              <Trans>
                Everything that you do here is recorded, refused attempts included. Auditors of your
                organisation read these records. They cannot be switched off.
              </Trans>
            </p>
          </LegalSection>
          <LegalSection title={<Trans>5. Fair use</Trans>}>
            <p>
              <Trans>
                Do not try to go around limits, to read what your roles do not allow, or to burden the service
                beyond normal work. Report weaknesses that you find instead of using them.
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
