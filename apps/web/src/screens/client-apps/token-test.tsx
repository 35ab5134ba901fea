import { type OidcConfig, TOKEN_CHECKS, type TokenTest as Result } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Stack, Text, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { api } from '../../api/api.ts'
import { useFailureText } from '../../api/failure-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { Marked } from '../../components/cells.tsx'
import { MayButton } from '../../ui/may-button.tsx'
import classes from './apps.module.css'

type Check = (typeof TOKEN_CHECKS)[number]

/** Each step of the test, and the meaning of its failure. */
const STEPS: Readonly<Record<Check, { word: MessageDescriptor; failed: MessageDescriptor }>> = {
  shape: { word: msg`It is a signed token (JWT)`, failed: msg`What was pasted is no signed token.` },
  algorithm: {
    word: msg`Its algorithm is accepted`,
    failed: msg`It must be signed with a private key: RS256, RS384, RS512, PS256, ES256 or ES384.`,
  },
  issuer: { word: msg`It comes from the issuer`, failed: msg`It names another issuer than the form.` },
  audience: {
    word: msg`It is meant for the audience`,
    failed: msg`It names another audience than the form.`,
  },
  keys: {
    word: msg`The public keys can be read`,
    failed: msg`The address of the keys does not answer with keys, or must not be used.`,
  },
  signature: {
    word: msg`Its signature is right`,
    failed: msg`It was not signed with one of the public keys.`,
  },
  time: { word: msg`It is valid now`, failed: msg`It has expired, is not valid yet, or lives too long.` },
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
  const failureText = useFailureText()
  const [token, setToken] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<Result>()
  const [failure, setFailure] = useState<string>()
  const answer = useRef<HTMLDivElement>(null)
  // No mutation: the query client would cache the token.
  const test = async () => {
    setBusy(true)
    setFailure(undefined)
    setResult(undefined)
    try {
      const { app_reference, oidc_config } = props
      const body = { token: token.trim(), oidc_config }
      setResult(await api.testClientAppToken({ params: { app_reference }, query: {}, body }))
    } catch (error) {
      setFailure(failureText(error))
    } finally {
      setBusy(false)
      // Scrolls to the result, which is below the fold.
      requestAnimationFrame(() => {
        answer.current?.focus({ preventScroll: true })
        answer.current?.scrollIntoView({ block: 'start' })
      })
    }
  }
  return (
    <Stack gap="sm" component="section" aria-label={t`Test a token`}>
      <Text component="h3" fw={650}>
        <Trans>Test a token</Trans>
      </Text>
      <Textarea
        className={classes.token}
        label={t`Token`}
        description={t`Paste a token of the app. It is checked against the form above and kept nowhere.`}
        value={token}
        onChange={(event) => {
          setToken(event.currentTarget.value)
          setResult(undefined)
        }}
        maxLength={16_384}
        minRows={3}
        maxRows={6}
        autosize
        autoComplete="off"
        spellCheck={false}
      />
      <div>
        <MayButton
          action="account.apps:test"
          reason={token.trim() === '' ? t`Paste a token first.` : props.reason}
          size="xs"
          variant="default"
          loading={isBusy}
          leftSection={<Icon name="key" size={15} />}
          onClick={() => void test()}
        >
          <Trans>Test</Trans>
        </MayButton>
      </div>
      <div ref={answer} tabIndex={-1} className={classes.answer}>
        {failure !== undefined && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
              {failure}
            </Text>
          </Alert>
        )}
        <output>{result !== undefined && <Checks result={result} />}</output>
      </div>
    </Stack>
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
            It is valid until <Time at={result.expires_at} style="second" />.
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
