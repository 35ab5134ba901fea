import { type OidcConfig, TOKEN_CHECKS, type TokenTest as Result } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { api } from '../../api/api.ts'
import { Time } from '../../ui/time.tsx'
import { Marked } from '../../components/cells.tsx'
import { TokenCheck } from '../../ui/token-check.tsx'
import classes from './apps.module.css'

type Check = (typeof TOKEN_CHECKS)[number]

/** Each step of the test, and the meaning of its failure. */
const STEPS: Readonly<Record<Check, { word: MessageDescriptor; failed: MessageDescriptor }>> = {
  shape: { word: msg`It is a signed token (JWT)`, failed: msg`The pasted text is not a signed token.` },
  algorithm: {
    word: msg`Its algorithm is accepted`,
    failed: msg`Sign it with a private key: RS256, RS384, RS512, PS256, ES256 or ES384.`,
  },
  issuer: { word: msg`It comes from the issuer`, failed: msg`Its issuer differs from the form.` },
  audience: {
    word: msg`It is meant for the audience`,
    failed: msg`Its audience differs from the form.`,
  },
  keys: {
    word: msg`The public keys can be read`,
    failed: msg`The key address returns no keys or is not allowed. Check the address.`,
  },
  signature: {
    word: msg`Its signature is valid`,
    failed: msg`No public key matches its signature.`,
  },
  time: {
    word: msg`It is valid now`,
    failed: msg`The token has expired, is not valid yet, or lives too long.`,
  },
}

/**
 * 'Test a token': the server checks it against the form, saved or not. The token stays in this field; neither browser
 * nor server stores it.
 */
export function TokenTest(props: {
  app_reference: string
  oidc_config: OidcConfig
  reason?: string | undefined
}) {
  const { t } = useLingui()
  const { app_reference, oidc_config } = props
  return (
    <TokenCheck
      title={t`Test a token`}
      heading={
        <Text component="h3" fw={650}>
          <Trans>Test a token</Trans>
        </Text>
      }
      label={t`Token`}
      description={t`Paste a token of the app to check the form. It is not stored.`}
      maxLength={16_384}
      action="account.apps:test"
      submit={<Trans>Test</Trans>}
      icon="key"
      reason={props.reason}
      reasonIfEmpty={t`Paste a token first.`}
      subject={oidc_config}
      ask={(token) =>
        api.testClientAppToken({ params: { app_reference }, query: {}, body: { token, oidc_config } })
      }
    >
      {(result) => <Checks result={result} />}
    </TokenCheck>
  )
}

function Checks({ result }: { result: Result }) {
  const { t, i18n } = useLingui()
  return (
    <Stack gap="xs">
      {result.is_accepted ? (
        <Marked icon="check-circle" tone="good">{t`The token is accepted`}</Marked>
      ) : (
        <Marked icon="alert-circle" tone="bad">{t`The token is refused`}</Marked>
      )}
      {result.expires_at !== null && (
        <Text size="sm">
          <Trans>
            Valid until <Time at={result.expires_at} style="second" />.
          </Trans>
        </Text>
      )}
      <ul className={classes.checks}>
        {TOKEN_CHECKS.map((check) => {
          const done = result.checks.find((each) => each.check === check)
          return (
            <li key={check}>
              <span>{i18n._(STEPS[check].word)}</span>
              {done === undefined ? (
                <Marked icon="more" tone="calm">{t`Not checked`}</Marked>
              ) : done.is_passed ? (
                <Marked icon="check" tone="good">{t`Passed`}</Marked>
              ) : (
                <Marked icon="x" tone="bad">{t`Failed`}</Marked>
              )}
              {done?.is_passed === false && (
                <span className={classes.detail}>
                  {i18n._(STEPS[check].failed)}{' '}
                  {done.detail !== null && <span lang="en">({done.detail})</span>}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Stack>
  )
}
